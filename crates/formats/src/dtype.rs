//! The kinds of numbers a buffer can hold.

use crate::{Format, Grouped, each_format};
use std::{fmt, str::FromStr};

/// Declares [`DType`] with a variant for each block format of the list.
macro_rules! dtypes {
    (() $([$module:ident $name:ident $doc:literal])*) => {
        /// How the elements of a view are stored.
        ///
        /// Block formats pack a run of [`DType::block_len`] neighbouring elements with their scales
        /// into [`DType::block_bytes`] bytes, bit for bit as GGUF does. All others are blocks of one.
        ///
        /// ```
        /// use bessemer_formats::DType;
        ///
        /// assert_eq!(DType::F32.bytes_for(10), Some(40));
        /// assert_eq!(DType::Q4_0.bytes_for(64), Some(36));
        /// assert_eq!(DType::Q4_0.bytes_for(65), None); // not whole blocks of 32
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(non_camel_case_types)]
        pub enum DType {
            /// IEEE single precision.
            F32,
            /// IEEE half precision.
            F16,
            /// The upper half of an `F32`.
            BF16,
            /// Two's complement, wrapping.
            I32,
            /// Unsigned, wrapping.
            U32,
            /// One byte, wrapping.
            U8,
            /// One byte, 0 or 1.
            Bool,
            /// IEEE double precision.
            F64,
            /// One byte, two's complement, wrapping.
            I8,
            /// Two bytes, two's complement, wrapping.
            I16,
            /// Eight bytes, two's complement, wrapping.
            I64,
            /// Two bytes, unsigned, wrapping.
            U16,
            /// Eight bytes, unsigned, wrapping.
            U64,
            /// A complex number: two `F32`, the real part first.
            Complex64,
            $(#[doc = $doc] $name,)*
        }

        /// Those that are not block formats.
        const PLAIN: [DType; 14] = [
            DType::F32, DType::F16, DType::BF16, DType::I32, DType::U32, DType::U8, DType::Bool,
            DType::F64, DType::I8, DType::I16, DType::I64, DType::U16, DType::U64, DType::Complex64,
        ];
        const FORMATS: usize = [$(stringify!($name)),*].len();

        impl DType {
            /// Every dtype.
            pub const ALL: [DType; PLAIN.len() + FORMATS] = {
                let mut all = [DType::F32; PLAIN.len() + FORMATS];
                let (plain, blocks) = all.split_at_mut(PLAIN.len());
                plain.copy_from_slice(&PLAIN);
                blocks.copy_from_slice(&DType::BLOCKS);
                all
            };

            /// Those that are not block formats: what arrays can hold.
            pub const PLAIN: [DType; PLAIN.len()] = PLAIN;

            /// The block formats.
            pub const BLOCKS: [DType; FORMATS] = [$(DType::$name),*];

            /// How many elements share a block; 1 for what is not a block format.
            ///
            /// ```
            /// use bessemer_formats::DType;
            ///
            /// assert_eq!(DType::Q4_0.block_len(), 32);
            /// assert_eq!(DType::Q4_K.block_len(), 256);
            /// assert_eq!(DType::F16.block_len(), 1);
            /// ```
            pub const fn block_len(self) -> usize {
                match self {
                    $(DType::$name => <crate::$name as Format>::LEN,)*
                    _ => 1,
                }
            }

            /// The bytes of one block, or of one element where there are no blocks.
            ///
            /// ```
            /// use bessemer_formats::DType;
            ///
            /// let bits = |dtype: DType| dtype.block_bytes() as f64 * 8.0 / dtype.block_len() as f64;
            /// assert_eq!(bits(DType::Q4_0), 4.5);
            /// assert_eq!(bits(DType::Q6_K), 6.5625);
            /// ```
            pub const fn block_bytes(self) -> usize {
                match self {
                    DType::F64 | DType::I64 | DType::U64 | DType::Complex64 => 8,
                    DType::F32 | DType::I32 | DType::U32 => 4,
                    DType::F16 | DType::BF16 | DType::I16 | DType::U16 => 2,
                    DType::I8 | DType::U8 | DType::Bool => 1,
                    $(DType::$name => <crate::$name as Grouped>::BYTES,)*
                }
            }

            /// What the address of an element must be a multiple of.
            pub const fn alignment(self) -> usize {
                match self {
                    DType::F64 | DType::I64 | DType::U64 | DType::Complex64 => 8,
                    DType::F32 | DType::I32 | DType::U32 => 4,
                    DType::F16 | DType::BF16 | DType::I16 | DType::U16 => 2,
                    DType::I8 | DType::U8 | DType::Bool => 1,
                    // The scales of the block formats are halves.
                    $(DType::$name => 2,)*
                }
            }

            /// Its name in lower case.
            ///
            /// ```
            /// use bessemer_formats::DType;
            ///
            /// assert_eq!(DType::Q4_K.name(), "q4_k");
            /// assert_eq!("Q4_K".parse(), Ok(DType::Q4_K));
            /// assert_eq!(format!("{:>6}", DType::F32), "   f32");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    DType::F32 => "f32",
                    DType::F16 => "f16",
                    DType::BF16 => "bf16",
                    DType::I32 => "i32",
                    DType::U32 => "u32",
                    DType::U8 => "u8",
                    DType::Bool => "bool",
                    DType::F64 => "f64",
                    DType::I8 => "i8",
                    DType::I16 => "i16",
                    DType::I64 => "i64",
                    DType::U16 => "u16",
                    DType::U64 => "u64",
                    DType::Complex64 => "complex64",
                    $(DType::$name => stringify!($module),)*
                }
            }
        }
    };
}
each_format! { dtypes () }

/// A name that is no dtype.
///
/// ```
/// use bessemer_formats::DType;
///
/// let error = "float".parse::<DType>().unwrap_err().to_string();
/// assert!(error.starts_with("unknown dtype `float`: expected one of f32 f16"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dtype `{0}`: expected one of {names}", names = DType::ALL.map(DType::name).join(" "))]
pub struct UnknownDType(String);

impl DType {
    /// The bytes of `elements` neighbouring elements; `None` if they are not whole blocks or the
    /// number does not fit.
    ///
    /// ```
    /// use bessemer_formats::DType;
    ///
    /// assert_eq!(DType::BF16.bytes_for(3), Some(6));
    /// assert_eq!(DType::Q8_0.bytes_for(64), Some(68));
    /// assert_eq!(DType::Q8_0.bytes_for(63), None);
    /// ```
    pub const fn bytes_for(self, elements: usize) -> Option<usize> {
        if !elements.is_multiple_of(self.block_len()) {
            return None;
        }
        (elements / self.block_len()).checked_mul(self.block_bytes())
    }

    /// Whether it is a block format.
    ///
    /// ```
    /// use bessemer_formats::DType;
    ///
    /// assert!(DType::Q8_0.is_block() && !DType::U8.is_block());
    /// assert!(DType::BLOCKS.into_iter().all(DType::is_block));
    /// ```
    pub const fn is_block(self) -> bool {
        self.block_len() > 1
    }

    /// Whether it is `F64`, `F32`, `F16` or `BF16`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F64) || self.fits_f32()
    }

    /// Whether it is a float whose values are all `F32` values too: what kernels that compute in
    /// single precision take.
    ///
    /// ```
    /// use bessemer_formats::DType;
    ///
    /// assert!(DType::BF16.fits_f32() && DType::F64.is_float() && !DType::F64.fits_f32());
    /// ```
    pub const fn fits_f32(self) -> bool {
        matches!(self, DType::F32 | DType::F16 | DType::BF16)
    }

    /// Whether it is an integer, signed or not.
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    /// Whether it is `I8`, `I16`, `I32` or `I64`.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// Whether it is `U8`, `U16`, `U32` or `U64`.
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Whether it is complex.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::Complex64)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<DType, UnknownDType> {
        DType::ALL
            .into_iter()
            .find(|dtype| dtype.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownDType(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for dtype in DType::ALL {
            assert_eq!(dtype.name().parse(), Ok(dtype));
            assert_eq!(dtype.name().to_uppercase().parse(), Ok(dtype));
        }
        let unknown = "q9_k".parse::<DType>().unwrap_err().to_string();
        assert!(unknown.contains("`q9_k`") && unknown.contains("q8_0"), "{unknown}");
    }

    #[test]
    fn bytes_never_overflow() {
        assert_eq!(DType::F32.bytes_for(usize::MAX / 2), None);
        assert_eq!(DType::Q6_K.bytes_for(512), Some(420));
        assert_eq!(DType::Q6_K.bytes_for(0), Some(0));
    }
}
