//! Comparisons, logic and choosing by condition.

use crate::{
    Array, Error, Operand, Scalar,
    build_map::{broadcast, common, zip},
    complex,
    node::{Kind, MapOp},
};
use bessemer_core::{DType, Shape};
use bessemer_program::{Binary, Compare, Unary};
use smallvec::smallvec;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident = $op:ident,)*) => {
        /// Comparisons of each element, as booleans. With NaN only `ne` is true.
        impl Array {$(
            $(#[$doc])*
            pub fn $name<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
                let op = stringify!($name);
                self.with(op, other.into(), |a, b| {
                    if a.dtype().is_complex() {
                        return complex::compare(op, Compare::$op, a, b);
                    }
                    // Only numbers have an order.
                    let orders = !matches!(Compare::$op, Compare::Eq | Compare::Ne);
                    let dtype = if orders && a.dtype() == DType::Bool {
                        DType::U8
                    } else {
                        a.dtype()
                    };
                    let map = MapOp::Compare(Compare::$op);
                    zip(op, map, &a.cast(dtype), &b.cast(dtype), DType::Bool)
                })
            }
        )*}
    };
}

comparisons! {
    /// Whether both are equal.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// assert_eq!(a.eq(2).to_vec::<bool>()?, [false, true, false]);
    /// let b = Array::new(&device, [1.0f32, 0.0, 3.0])?;
    /// assert!(!a.eq(&b).all(..).item::<bool>()?);
    /// # Ok::<(), Error>(())
    /// ```
    eq = Eq,
    /// Whether they differ.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, f32::NAN])?;
    /// assert_eq!(a.ne(1).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    ne = Ne,
    /// Whether it is less.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// assert_eq!(a.lt(2).to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    lt = Lt,
    /// Whether it is less or equal.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 5], [2, 2]])?;
    /// let limits = Array::new(&device, [1, 2])?;
    /// assert_eq!(a.le(&limits).to_vec::<bool>()?, [true, false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    le = Le,
    /// Whether it is greater.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0.5f32, 1.5, f32::NAN])?;
    /// assert_eq!(a.gt(1).to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    gt = Gt,
    /// Whether it is greater or equal.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3, 5, 7])?;
    /// assert_eq!(a.ge(5).sum_all().item::<i64>()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    ge = Ge,
}

/// The ways to put two truths together.
#[derive(Clone, Copy)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
}

/// Logic of each element: all but 0 is true.
impl Array {
    /// Whether both are true.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 5, 1);
    /// let inside = a.ge(1).logical_and(&a.lt(4));
    /// assert_eq!(inside.to_vec::<bool>()?, [false, true, true, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn logical_and<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.logic("logical_and", Binary::And, other.into())
    }

    /// Whether either is true.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 5, 1);
    /// let outside = a.lt(1).logical_or(&a.ge(4));
    /// assert_eq!(outside.to_vec::<bool>()?, [true, false, false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn logical_or<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.logic("logical_or", Binary::Or, other.into())
    }

    /// Whether exactly one is true.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0, 0, 5, 5])?;
    /// let b = Array::new(&device, [0.0f32, 0.5, 0.0, 0.5])?;
    /// assert_eq!(a.logical_xor(&b).to_vec::<bool>()?, [false, true, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn logical_xor<'a>(&self, other: impl Into<Operand<'a>>) -> Array {
        self.logic("logical_xor", Binary::Xor, other.into())
    }

    /// Whether it is false.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0, 1, 2])?;
    /// assert_eq!(a.logical_not().to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn logical_not(&self) -> Array {
        Array::build("logical_not", &[("array", self)], || {
            Ok(self.cast(DType::Bool).same("logical_not", Unary::Not))
        })
    }

    /// Elements of `a` where the condition is true, else of `b`. All three are broadcast, and `a`
    /// and `b` promoted.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, -2, 3, 1);
    /// assert_eq!(Array::where_(&a.gt(0), &a, 100).to_string(), "[100 100 100   1   2]");
    /// ```
    pub fn where_<'a, 'b>(
        condition: &Array,
        a: impl Into<Operand<'a>>,
        b: impl Into<Operand<'b>>,
    ) -> Array {
        let build = |a: &Array, b: &Array| {
            let arrays = [("condition", condition), ("a", a), ("b", b)];
            Array::build("where", &arrays, || {
                let shape = broadcast("where", &arrays)?;
                let dtype = common("where", &arrays[1..])?;
                let condition = condition.cast(DType::Bool);
                let inputs = smallvec![condition, a.cast(dtype), b.cast(dtype)];
                Ok(Array::lazy(dtype, shape, Kind::Map(MapOp::Select), inputs))
            })
        };
        match (a.into(), b.into()) {
            (Operand::Array(a), Operand::Array(b)) => build(a, b),
            (Operand::Array(a), b) => a.with("where", b, |a, b| Ok(build(a, b))),
            (a, Operand::Array(b)) => b.with("where", a, |b, a| Ok(build(a, b))),
            (Operand::Scalar(a), Operand::Scalar(b)) => {
                let dtype = crate::promote(a.dtype(), b.dtype()).unwrap_or(DType::F32);
                let number = |scalar: Scalar| {
                    let kind = Kind::Fill(scalar.nearest(dtype));
                    let device = condition.device();
                    Array::lazy_on(device, dtype, Shape::SCALAR, kind, smallvec![])
                };
                build(&number(a), &number(b))
            }
        }
    }

    fn logic(&self, op: &'static str, binary: Binary, other: Operand<'_>) -> Array {
        let truths = |a: &Array, b: &Array| {
            let (a, b) = (a.cast(DType::Bool), b.cast(DType::Bool));
            zip(op, MapOp::Binary(binary), &a, &b, DType::Bool)
        };
        match other {
            // Any two dtypes will do: there is no need for one they have in common.
            Operand::Array(other) => {
                Array::build(op, &[("a", self), ("b", other)], || truths(self, other))
            }
            scalar => self.with(op, scalar, truths),
        }
    }

    /// Logic of booleans, and of each bit of integers.
    pub(crate) fn bits(&self, logic: Logic, other: Operand<'_>) -> Array {
        let (op, binary) = match logic {
            Logic::And => ("bitand", Binary::And),
            Logic::Or => ("bitor", Binary::Or),
            Logic::Xor => ("bitxor", Binary::Xor),
        };
        self.with(op, other, |a, b| {
            if !has_bits(a) {
                let rule =
                    format!("{} has no bitwise operations; convert it with `astype`", a.dtype());
                return Err(Error::rule(op, rule, &[("a", a), ("b", b)]));
            }
            zip(op, MapOp::Binary(binary), a, b, a.dtype())
        })
    }

    pub(crate) fn bits_not(&self) -> Array {
        Array::build("not", &[("array", self)], || {
            if !has_bits(self) {
                let rule =
                    format!("{} has no bitwise operations; convert it with `astype`", self.dtype());
                return Err(Error::rule("not", rule, &[("array", self)]));
            }
            Ok(self.same("not", Unary::Not))
        })
    }
}

/// Whether the bits of elements are worth something by themselves.
fn has_bits(array: &Array) -> bool {
    array.dtype().is_integer() || array.dtype() == DType::Bool
}
