//! Which dtype two arrays have in common. The rules for plain numbers are with [`crate::Scalar`].

use bessemer_core::DType::{self, BF16, Bool, F16, F32, I32, U8, U32};

/// The dtype of numbers with a point where nothing says another.
pub(crate) fn default_float() -> DType {
    F32
}

/// The dtype of whole numbers where nothing says another.
pub(crate) fn default_integer() -> DType {
    I32
}

/// The dtype that arrays of `a` and `b` are computed in together; `None` if there is none.
///
/// As in NumPy, the smallest that holds the values of both, but never more than 32 bits:
///
/// |      | bool | u8   | i32  | u32  | f16  | bf16 | f32 |
/// | ---  | ---  | ---  | ---  | ---  | ---  | ---  | --- |
/// | bool | bool | u8   | i32  | u32  | f16  | bf16 | f32 |
/// | u8   | u8   | u8   | i32  | u32  | f16  | bf16 | f32 |
/// | i32  | i32  | i32  | i32  | none | f32  | f32  | f32 |
/// | u32  | u32  | u32  | none | u32  | f32  | f32  | f32 |
/// | f16  | f16  | f16  | f32  | f32  | f16  | f32  | f32 |
/// | bf16 | bf16 | bf16 | f32  | f32  | f32  | bf16 | f32 |
/// | f32  | f32  | f32  | f32  | f32  | f32  | f32  | f32 |
///
/// `i32` and `u32` have none: NumPy takes 64 bits there, and any narrower type would silently
/// change numbers. Convert one of them.
///
/// ```
/// use bessemer_array::promote;
/// use bessemer_core::DType;
///
/// assert_eq!(promote(DType::U8, DType::I32), Some(DType::I32));
/// assert_eq!(promote(DType::F16, DType::BF16), Some(DType::F32));
/// assert_eq!(promote(DType::I32, DType::U32), None);
/// ```
pub fn promote(a: DType, b: DType) -> Option<DType> {
    match (a, b) {
        _ if a.is_block() || b.is_block() => None,
        _ if a == b => Some(a),
        (Bool, other) | (other, Bool) => Some(other),
        (U8, other) | (other, U8) => Some(other),
        (I32, U32) | (U32, I32) => None,
        (I32 | U32 | F32 | F16 | BF16, _) => Some(F32),
        _ => None,
    }
}

/// The dtype that functions of real numbers (`exp`, `sqrt`, …) give for `dtype`.
pub(crate) fn float_of(dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { default_float() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_matter_which_comes_first() {
        for a in DType::ALL {
            for b in DType::ALL {
                assert_eq!(promote(a, b), promote(b, a), "{a} and {b}");
            }
        }
        assert_eq!(promote(F16, I32), Some(F32));
        assert_eq!(promote(F16, U8), Some(F16));
        assert_eq!(promote(DType::Q4_0, F32), None);
    }
}
