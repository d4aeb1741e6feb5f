//! The types of registers. `DType` says how memory stores them, `literal` has their values.

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
    /// IEEE double precision.
    F64,
    /// Two's complement of 64 bits, wrapping.
    I64,
    /// Unsigned, of 64 bits, wrapping.
    U64,
}

impl Type {
    /// Every type.
    pub const ALL: [Type; 7] =
        [Type::F32, Type::I32, Type::U32, Type::Bool, Type::F64, Type::I64, Type::U64];

    /// The type that elements stored as `dtype` have in registers; `None` for block formats, and
    /// for complex numbers, which are two views of `f32`.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::Type;
    ///
    /// assert_eq!(Type::of(DType::BF16), Some(Type::F32));
    /// assert_eq!(Type::of(DType::I8), Some(Type::I32));
    /// assert_eq!(Type::of(DType::Q4_0), None);
    /// ```
    pub const fn of(dtype: DType) -> Option<Type> {
        match dtype {
            DType::F32 | DType::F16 | DType::BF16 => Some(Type::F32),
            DType::I32 | DType::I16 | DType::I8 => Some(Type::I32),
            DType::U32 | DType::U16 | DType::U8 => Some(Type::U32),
            DType::Bool => Some(Type::Bool),
            DType::F64 => Some(Type::F64),
            DType::I64 => Some(Type::I64),
            DType::U64 => Some(Type::U64),
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
            Type::F64 => DType::F64,
            Type::I64 => DType::I64,
            Type::U64 => DType::U64,
        }
    }

    /// Whether it is an integer.
    pub const fn is_integer(self) -> bool {
        matches!(self, Type::I32 | Type::U32 | Type::I64 | Type::U64)
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Whether it is signed: a float or a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::F32 | Type::I32 | Type::F64 | Type::I64)
    }

    /// Whether it is anything but `Bool`.
    pub const fn is_number(self) -> bool {
        !matches!(self, Type::Bool)
    }

    /// Whether it has 64 bits. All others have 32.
    pub const fn is_wide(self) -> bool {
        matches!(self, Type::F64 | Type::I64 | Type::U64)
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
