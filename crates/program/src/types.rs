//! The types of registers, and values of them. `DType` says how memory stores them.

use bessemer_core::DType;
use std::fmt;

/// The type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// IEEE single precision.
    F32,
    /// Two's complement, wrapping.
    I32,
    /// Unsigned, wrapping.
    U32,
    /// True or false.
    Bool,
}

impl Type {
    /// Every type.
    pub const ALL: [Type; 4] = [Type::F32, Type::I32, Type::U32, Type::Bool];

    /// The type that elements stored as `dtype` have in registers; `None` for block formats.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::Type;
    ///
    /// assert_eq!(Type::of(DType::BF16), Some(Type::F32));
    /// assert_eq!(Type::of(DType::U8), Some(Type::U32));
    /// assert_eq!(Type::of(DType::Q4_0), None);
    /// ```
    pub const fn of(dtype: DType) -> Option<Type> {
        match dtype {
            DType::F32 | DType::F16 | DType::BF16 => Some(Type::F32),
            DType::I32 => Some(Type::I32),
            DType::U32 | DType::U8 => Some(Type::U32),
            DType::Bool => Some(Type::Bool),
            _ => None,
        }
    }

    /// The dtype that stores it without loss.
    pub const fn dtype(self) -> DType {
        match self {
            Type::F32 => DType::F32,
            Type::I32 => DType::I32,
            Type::U32 => DType::U32,
            Type::Bool => DType::Bool,
        }
    }

    /// Whether it is `I32` or `U32`.
    pub const fn is_integer(self) -> bool {
        matches!(self, Type::I32 | Type::U32)
    }

    /// Whether it is `F32`, `I32` or `U32`.
    pub const fn is_number(self) -> bool {
        !matches!(self, Type::Bool)
    }

    /// Its name in lower case.
    pub const fn name(self) -> &'static str {
        self.dtype().name()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value of a register: a literal in a program, or what a uniform is bound to.
///
/// Floats are kept as bits, so that equal programs are those with the same literals, NaN too.
///
/// ```
/// use bessemer_program::{Literal, Type};
///
/// let literal = Literal::from(1.5f32);
/// assert_eq!((literal.ty(), literal.bits()), (Type::F32, 1.5f32.to_bits()));
/// assert_eq!(Literal::from_f64(Type::I32, -3.0), Literal::from(-3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    ty: Type,
    bits: u32,
}

impl Literal {
    /// A value of type `ty` from the 32 bits of a register.
    pub const fn from_bits(ty: Type, bits: u32) -> Literal {
        // Booleans have two values, whatever the bits.
        let bits = match ty {
            Type::Bool => {
                if bits != 0 {
                    TRUE
                } else {
                    0
                }
            }
            _ => bits,
        };
        Literal { ty, bits }
    }

    /// Its type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// The 32 bits it has in a register: a true boolean is all ones.
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The number in double precision; 0 or 1 for a boolean.
    pub fn to_f64(self) -> f64 {
        match self.ty {
            Type::F32 => f64::from(f32::from_bits(self.bits)),
            Type::I32 => f64::from(self.bits as i32),
            Type::U32 => f64::from(self.bits),
            Type::Bool => f64::from(self.bits & 1),
        }
    }

    /// The nearest value of type `ty`, as conversions of programs do it.
    pub fn from_f64(ty: Type, value: f64) -> Literal {
        let bits = match ty {
            Type::F32 => (value as f32).to_bits(),
            Type::I32 => value as i32 as u32,
            Type::U32 => value as u32,
            Type::Bool => u32::from(value != 0.0),
        };
        Literal::from_bits(ty, bits)
    }
}

/// A boolean register that holds true.
pub(crate) const TRUE: u32 = u32::MAX;

impl From<f32> for Literal {
    fn from(value: f32) -> Literal {
        Literal::from_bits(Type::F32, value.to_bits())
    }
}

impl From<i32> for Literal {
    fn from(value: i32) -> Literal {
        Literal::from_bits(Type::I32, value as u32)
    }
}

impl From<u32> for Literal {
    fn from(value: u32) -> Literal {
        Literal::from_bits(Type::U32, value)
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Literal {
        Literal::from_bits(Type::Bool, value.into())
    }
}

/// As in the text form: `1.5`, `3` (i32), `3u`, `true`, `nan`, `-inf`.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Type::F32 => {
                let value = f32::from_bits(self.bits);
                if value.is_nan() {
                    match self.bits {
                        0x7fc0_0000 => write!(f, "nan"),
                        bits => write!(f, "nan:{bits:08x}"),
                    }
                } else {
                    // The shortest text that reads back as the same number, always with a point,
                    // an exponent or `inf`.
                    write!(f, "{value:?}")
                }
            }
            Type::I32 => write!(f, "{}", self.bits as i32),
            Type::U32 => write!(f, "{}u", self.bits),
            Type::Bool => write!(f, "{}", self.bits != 0),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
