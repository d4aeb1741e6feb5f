//! The numbers GGUF gives to kinds of values and to tensor types.

use bessemer_core::DType;
use bessemer_formats::{Format, with_format};

/// The kind of a metadata value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Kind {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
}

impl Kind {
    const ALL: [Kind; 13] = [
        Kind::U8,
        Kind::I8,
        Kind::U16,
        Kind::I16,
        Kind::U32,
        Kind::I32,
        Kind::F32,
        Kind::Bool,
        Kind::String,
        Kind::Array,
        Kind::U64,
        Kind::I64,
        Kind::F64,
    ];

    pub(crate) fn from_id(id: u32) -> Option<Kind> {
        Kind::ALL.get(id as usize).copied()
    }

    pub(crate) fn id(self) -> u32 {
        self as u32
    }

    /// The fewest bytes a value of this kind can take.
    pub(crate) fn least_bytes(self) -> usize {
        match self {
            Kind::U8 | Kind::I8 | Kind::Bool => 1,
            Kind::U16 | Kind::I16 => 2,
            Kind::U32 | Kind::I32 | Kind::F32 => 4,
            Kind::U64 | Kind::I64 | Kind::F64 | Kind::String => 8,
            Kind::Array => 12,
        }
    }

    /// Whether all values of this kind take the same number of bytes.
    pub(crate) fn is_fixed(self) -> bool {
        !matches!(self, Kind::String | Kind::Array)
    }
}

/// The tensor types that are not block formats, by their number in files. Block formats know theirs.
const DENSE: [(u32, DType); 4] =
    [(0, DType::F32), (1, DType::F16), (26, DType::I32), (30, DType::BF16)];

/// The dtype of a tensor type, or its name if bessemer lacks it, or neither.
pub(crate) fn dtype_of(id: u32) -> Result<DType, Option<&'static str>> {
    let found = DType::ALL.into_iter().find(|&dtype| id_of(dtype) == Some(id));
    found.ok_or_else(|| name_of_lacking(id))
}

/// The number of a dtype; `None` if GGUF has none for it.
pub(crate) fn id_of(dtype: DType) -> Option<u32> {
    if dtype.is_block() {
        return Some(with_format!(dtype, F => F::GGUF));
    }
    DENSE.iter().find(|(_, d)| *d == dtype).map(|(id, _)| *id)
}

fn name_of_lacking(id: u32) -> Option<&'static str> {
    Some(match id {
        4 => "Q4_2",
        5 => "Q4_3",
        9 => "Q8_1",
        10 => "Q2_K",
        15 => "Q8_K",
        16 => "IQ2_XXS",
        17 => "IQ2_XS",
        18 => "IQ3_XXS",
        19 => "IQ1_S",
        21 => "IQ3_S",
        22 => "IQ2_S",
        23 => "IQ4_XS",
        24 => "I8",
        25 => "I16",
        27 => "I64",
        28 => "F64",
        29 => "IQ1_M",
        31 => "Q4_0_4_4",
        32 => "Q4_0_4_8",
        33 => "Q4_0_8_8",
        34 => "TQ1_0",
        35 => "TQ2_0",
        36 => "IQ4_NL_4_4",
        37 => "IQ4_NL_4_8",
        38 => "IQ4_NL_8_8",
        39 => "MXFP4",
        40 => "NVFP4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for dtype in DType::ALL {
            if let Some(id) = id_of(dtype) {
                assert_eq!(dtype_of(id), Ok(dtype));
            }
        }
        assert!(DType::BLOCKS.into_iter().all(|d| id_of(d).is_some()));
        assert_eq!(dtype_of(10), Err(Some("Q2_K")));
        assert_eq!(dtype_of(99), Err(None));
        for kind in Kind::ALL {
            assert_eq!(Kind::from_id(kind.id()), Some(kind));
        }
    }
}
