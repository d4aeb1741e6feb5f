//! The kinds of numbers a buffer can hold.

use std::{fmt, str::FromStr};

/// How the elements of a [`View`](crate::View) are stored.
///
/// Block formats pack a run of [`DType::block_len`] neighbouring elements with their scales into
/// [`DType::block_bytes`] bytes, bit for bit as GGUF does. All others are blocks of one.
///
/// ```
/// use bessemer_core::DType;
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
    /// 32 × 4 bits with one scale.
    Q4_0,
    /// 32 × 4 bits with one scale and one minimum.
    Q4_1,
    /// 32 × 5 bits with one scale.
    Q5_0,
    /// 32 × 5 bits with one scale and one minimum.
    Q5_1,
    /// 32 × 8 bits with one scale.
    Q8_0,
    /// 256 × 4 bits; 8 scales and minima of 6 bits.
    Q4_K,
    /// 256 × 5 bits; 8 scales and minima of 6 bits.
    Q5_K,
    /// 256 × 6 bits; 16 scales of 8 bits.
    Q6_K,
}

/// A name that is no dtype.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown dtype `{0}`: expected one of f32 f16 bf16 i32 u32 u8 bool q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q5_k q6_k"
)]
pub struct UnknownDType(String);

impl DType {
    /// Every dtype.
    pub const ALL: [DType; 15] = [
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::I32,
        DType::U32,
        DType::U8,
        DType::Bool,
        DType::Q4_0,
        DType::Q4_1,
        DType::Q5_0,
        DType::Q5_1,
        DType::Q8_0,
        DType::Q4_K,
        DType::Q5_K,
        DType::Q6_K,
    ];

    /// The block formats.
    pub const BLOCKS: [DType; 8] = [
        DType::Q4_0,
        DType::Q4_1,
        DType::Q5_0,
        DType::Q5_1,
        DType::Q8_0,
        DType::Q4_K,
        DType::Q5_K,
        DType::Q6_K,
    ];

    /// How many elements share a block; 1 for what is not a block format.
    pub const fn block_len(self) -> usize {
        match self {
            DType::Q4_0 | DType::Q4_1 | DType::Q5_0 | DType::Q5_1 | DType::Q8_0 => 32,
            DType::Q4_K | DType::Q5_K | DType::Q6_K => 256,
            _ => 1,
        }
    }

    /// The bytes of one block, or of one element where there are no blocks.
    pub const fn block_bytes(self) -> usize {
        match self {
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::F16 | DType::BF16 => 2,
            DType::U8 | DType::Bool => 1,
            DType::Q4_0 => 18,
            DType::Q4_1 => 20,
            DType::Q5_0 => 22,
            DType::Q5_1 => 24,
            DType::Q8_0 => 34,
            DType::Q4_K => 144,
            DType::Q5_K => 176,
            DType::Q6_K => 210,
        }
    }

    /// The bytes of `elements` neighbouring elements; `None` if they are not whole blocks or the
    /// number does not fit.
    pub const fn bytes_for(self, elements: usize) -> Option<usize> {
        if !elements.is_multiple_of(self.block_len()) {
            return None;
        }
        (elements / self.block_len()).checked_mul(self.block_bytes())
    }

    /// What the address of an element must be a multiple of.
    pub const fn alignment(self) -> usize {
        match self {
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::U8 | DType::Bool => 1,
            // The scales of the block formats are halves.
            _ => 2,
        }
    }

    /// Whether it is a block format.
    pub const fn is_block(self) -> bool {
        self.block_len() > 1
    }

    /// Whether it is `F32`, `F16` or `BF16`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F16 | DType::BF16)
    }

    /// Whether it is `I32`, `U32` or `U8`.
    pub const fn is_integer(self) -> bool {
        matches!(self, DType::I32 | DType::U32 | DType::U8)
    }

    /// Its name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::U8 => "u8",
            DType::Bool => "bool",
            DType::Q4_0 => "q4_0",
            DType::Q4_1 => "q4_1",
            DType::Q5_0 => "q5_0",
            DType::Q5_1 => "q5_1",
            DType::Q8_0 => "q8_0",
            DType::Q4_K => "q4_k",
            DType::Q5_K => "q5_k",
            DType::Q6_K => "q6_k",
        }
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
        assert!("q3_k".parse::<DType>().is_err());
    }

    #[test]
    fn bytes_never_overflow() {
        assert_eq!(DType::F32.bytes_for(usize::MAX / 2), None);
        assert_eq!(DType::Q6_K.bytes_for(512), Some(420));
        assert_eq!(DType::Q6_K.bytes_for(0), Some(0));
    }
}
