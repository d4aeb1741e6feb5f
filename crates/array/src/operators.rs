//! The operators of Rust, with arrays by value and by reference and with numbers on either side.
//!
//! On the right any Rust number will do; on the left `f64` and `i32`, which is what literals are,
//! and [`Scalar`] for all others: `Scalar::from(x) - &a`.

use crate::{Array, Number, Operand, Scalar, compare::Logic};
use bessemer_core::DType;
use bessemer_program::{Binary, Unary};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem,
    RemAssign, Sub, SubAssign,
};

macro_rules! arithmetic {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:ident,)*) => {$(
        impl $trait<&Array> for &Array {
            type Output = Array;

            fn $method(self, other: &Array) -> Array {
                self.binary(stringify!($method), Binary::$op, other)
            }
        }

        impl $trait<Array> for &Array {
            type Output = Array;

            fn $method(self, other: Array) -> Array {
                $trait::$method(self, &other)
            }
        }

        impl $trait<&Array> for Array {
            type Output = Array;

            fn $method(self, other: &Array) -> Array {
                $trait::$method(&self, other)
            }
        }

        impl $trait<Array> for Array {
            type Output = Array;

            fn $method(self, other: Array) -> Array {
                $trait::$method(&self, &other)
            }
        }

        impl $assign<&Array> for Array {
            fn $assign_method(&mut self, other: &Array) {
                *self = $trait::$method(&*self, other);
            }
        }

        impl $assign<Array> for Array {
            fn $assign_method(&mut self, other: Array) {
                *self = $trait::$method(&*self, &other);
            }
        }

        // One rule for all numbers, so that a literal's type need not be known to know the
        // result's.
        impl<N: Number> $trait<N> for &Array {
            type Output = Array;

            fn $method(self, other: N) -> Array {
                self.binary(stringify!($method), Binary::$op, other)
            }
        }

        impl<N: Number> $trait<N> for Array {
            type Output = Array;

            fn $method(self, other: N) -> Array {
                $trait::$method(&self, other)
            }
        }

        impl<N: Number> $assign<N> for Array {
            fn $assign_method(&mut self, other: N) {
                *self = $trait::$method(&*self, other);
            }
        }

        before_arrays!($trait $method $op: f64 i32 Scalar);
    )*};
}

// Only these: with two kinds of floats a literal on the left would have no type.
macro_rules! before_arrays {
    ($trait:ident $method:ident $op:ident: $($type:ty)*) => {$(
        impl $trait<&Array> for $type {
            type Output = Array;

            fn $method(self, other: &Array) -> Array {
                other.binary_after(stringify!($method), Binary::$op, self.into())
            }
        }

        impl $trait<Array> for $type {
            type Output = Array;

            fn $method(self, other: Array) -> Array {
                $trait::$method(self, &other)
            }
        }
    )*};
}

arithmetic! {
    Add add AddAssign add_assign Add,
    Sub sub SubAssign sub_assign Sub,
    Mul mul MulAssign mul_assign Mul,
    Div div DivAssign div_assign Div,
    Rem rem RemAssign rem_assign Rem,
}

/// Wraps for integers; unsigned ones too, as in NumPy.
impl Neg for &Array {
    type Output = Array;

    fn neg(self) -> Array {
        match self.dtype() {
            dtype if dtype.is_unsigned_integer() => {
                self.binary_after("neg", Binary::Sub, Scalar::from(0))
            }
            DType::Bool => self.binary("neg", Binary::Sub, self),
            _ => self.same("neg", Unary::Neg),
        }
    }
}

impl Neg for Array {
    type Output = Array;

    fn neg(self) -> Array {
        -&self
    }
}

/// `!` of booleans, and of the bits of integers.
impl Not for &Array {
    type Output = Array;

    fn not(self) -> Array {
        self.bits_not()
    }
}

impl Not for Array {
    type Output = Array;

    fn not(self) -> Array {
        !&self
    }
}

macro_rules! logic {
    ($($trait:ident $method:ident $op:ident,)*) => {$(
        impl $trait<&Array> for &Array {
            type Output = Array;

            fn $method(self, other: &Array) -> Array {
                self.bits(Logic::$op, Operand::Array(other))
            }
        }

        impl $trait<Array> for Array {
            type Output = Array;

            fn $method(self, other: Array) -> Array {
                $trait::$method(&self, &other)
            }
        }
    )*};
}

logic! {
    BitAnd bitand And,
    BitOr bitor Or,
    BitXor bitxor Xor,
}
