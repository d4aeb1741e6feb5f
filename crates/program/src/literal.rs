//! Values of registers: literals of programs, and what uniforms are bound to.

use crate::Type;
use bessemer_core::{DType, Number, Real};
use half::{bf16, f16};
use std::fmt;

/// A value of a register: a literal in a program, or what a uniform is bound to.
///
/// Floats are kept as bits, so that equal programs are those with the same literals, NaN too.
///
/// ```
/// use bessemer_program::{Literal, Type};
///
/// let literal = Literal::from(1.5f32);
/// assert_eq!((literal.ty(), literal.bits()), (Type::F32, 1.5f32.to_bits().into()));
/// assert_eq!(Literal::from_f64(Type::I32, -3.0), Literal::from(-3));
/// assert_eq!(Literal::from(u64::MAX).to_string(), "18446744073709551615u64");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    ty: Type,
    bits: u64,
}

/// A boolean register that holds true.
pub(crate) const TRUE: u32 = u32::MAX;

impl Literal {
    /// A value of type `ty` from the bits of a register; of those of 32 bits, the low ones.
    pub const fn from_bits(ty: Type, bits: u64) -> Literal {
        // Booleans have two values, whatever the bits.
        let bits = match ty {
            Type::Bool if bits as u32 != 0 => TRUE as u64,
            Type::Bool => 0,
            _ if ty.is_wide() => bits,
            _ => bits as u32 as u64,
        };
        Literal { ty, bits }
    }

    /// A double. Rust's floating-point literals are taken for `f32` where a literal is wanted, so
    /// these have a name.
    ///
    /// ```
    /// use bessemer_program::Literal;
    ///
    /// assert_eq!(Literal::f64(0.1).to_string(), "0.1f64");
    /// ```
    pub const fn f64(value: f64) -> Literal {
        Literal { ty: Type::F64, bits: value.to_bits() }
    }

    /// Its type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// The bits it has in a register, with zeros before them: a true boolean is 32 ones.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The low 32 bits: all there are, unless the type is wide.
    pub const fn low(self) -> u32 {
        self.bits as u32
    }

    /// The number, exactly; 0 or 1 for a boolean.
    pub fn number(self) -> Number {
        match self.ty {
            Type::F32 => f32::from_bits(self.low()).to_number(),
            Type::I32 => (self.low() as i32).to_number(),
            Type::U32 => self.low().to_number(),
            Type::Bool => (self.low() & 1).to_number(),
            Type::F64 => f64::from_bits(self.bits).to_number(),
            Type::I64 => (self.bits as i64).to_number(),
            Type::U64 => self.bits.to_number(),
        }
    }

    /// The number in double precision; 0 or 1 for a boolean.
    pub fn to_f64(self) -> f64 {
        self.number().to_f64()
    }

    /// The nearest value of type `ty`, as conversions of floats in programs find it.
    pub fn from_number(ty: Type, number: Number) -> Literal {
        match ty {
            Type::F32 => f32::from_number(number).into(),
            Type::I32 => i32::from_number(number).into(),
            Type::U32 => u32::from_number(number).into(),
            Type::Bool => (number.to_f64() != 0.0).into(),
            Type::F64 => Literal::f64(f64::from_number(number)),
            Type::I64 => i64::from_number(number).into(),
            Type::U64 => u64::from_number(number).into(),
        }
    }

    /// The same for a double.
    pub fn from_f64(ty: Type, value: f64) -> Literal {
        Literal::from_number(ty, Number::Float(value))
    }

    /// What a register holds of an element that memory stores as `dtype`, in these bits.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::Literal;
    ///
    /// assert_eq!(Literal::from_stored(DType::I8, 0xff), Literal::from(-1));
    /// assert_eq!(Literal::from(300).stored(DType::U8), 44);
    /// ```
    ///
    /// # Panics
    /// If registers have no type for it.
    pub fn from_stored(dtype: DType, stored: u64) -> Literal {
        match dtype {
            DType::F16 => f16::from_bits(stored as u16).to_f32().into(),
            DType::BF16 => bf16::from_bits(stored as u16).to_f32().into(),
            DType::I8 => i32::from(stored as i8).into(),
            DType::I16 => i32::from(stored as i16).into(),
            DType::U8 => u32::from(stored as u8).into(),
            DType::U16 => u32::from(stored as u16).into(),
            DType::Bool => (stored as u8 != 0).into(),
            _ => Literal::from_bits(Type::of(dtype).expect("a dtype of programs"), stored),
        }
    }

    /// The bits that memory stores of it as `dtype`: floats are rounded, integers keep the low bits.
    pub fn stored(self, dtype: DType) -> u64 {
        match dtype {
            DType::F16 => f16::from_f32(f32::from_bits(self.low())).to_bits().into(),
            DType::BF16 => bf16::from_f32(f32::from_bits(self.low())).to_bits().into(),
            DType::Bool => self.bits & 1,
            _ => self.bits & (u64::MAX >> (64 - 8 * dtype.block_bytes().min(8))),
        }
    }
}

macro_rules! values {
    ($($type:ty, $ty:ident, |$value:ident| $bits:expr;)*) => {$(
        impl From<$type> for Literal {
            fn from($value: $type) -> Literal {
                Literal::from_bits(Type::$ty, $bits)
            }
        }
    )*};
}

values! {
    f32, F32, |value| value.to_bits().into();
    i32, I32, |value| (value as u32).into();
    u32, U32, |value| value.into();
    bool, Bool, |value| value.into();
    i64, I64, |value| value as u64;
    u64, U64, |value| value;
}

/// As in the text form: `1.5`, `3` (i32), `3u`, `true`, `nan`, `-inf`; of 64 bits `1.5f64`, `3i64`,
/// `3u64`, `nan64`, `-inf64`.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The shortest text that reads back as the same number, always with a point, an exponent or
        // `inf`.
        match self.ty {
            Type::F32 => match f32::from_bits(self.low()) {
                value if !value.is_nan() => write!(f, "{value:?}"),
                _ if self.bits == 0x7fc0_0000 => write!(f, "nan"),
                _ => write!(f, "nan:{:08x}", self.bits),
            },
            Type::F64 => match f64::from_bits(self.bits) {
                value if value.is_infinite() => write!(f, "{value:?}64"),
                value if !value.is_nan() => write!(f, "{value:?}f64"),
                _ if self.bits == 0x7ff8_0000_0000_0000 => write!(f, "nan64"),
                _ => write!(f, "nan64:{:016x}", self.bits),
            },
            Type::I32 => write!(f, "{}", self.low() as i32),
            Type::U32 => write!(f, "{}u", self.bits),
            Type::I64 => write!(f, "{}i64", self.bits as i64),
            Type::U64 => write!(f, "{}u64", self.bits),
            Type::Bool => write!(f, "{}", self.bits != 0),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
