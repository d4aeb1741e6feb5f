//! Which dtype two arrays have in common. The rules for plain numbers are with [`crate::Scalar`].

use bessemer_core::DType::{self, BF16, Bool, Complex64, F16, F32, F64, I8, I16, I32, I64, U64};

/// The dtype of numbers with a point where nothing says another.
pub(crate) fn default_float() -> DType {
    F32
}

/// The dtype of whole numbers where nothing says another.
pub(crate) fn default_integer() -> DType {
    I32
}

/// The dtype that sums and products of `dtype` have: integers have 64 bits, whatever the device.
pub(crate) fn total_of(dtype: DType) -> DType {
    match dtype {
        Bool => I64,
        dtype if dtype.is_signed_integer() => I64,
        dtype if dtype.is_integer() => U64,
        dtype => dtype,
    }
}

/// The dtype that arrays of `a` and `b` are computed in together; `None` if there is none.
///
/// Within a kind these are the rules of the array API standard:
///
/// * two integers of one sign, or two floats: the larger. `f16` and `bf16` give `f32`.
/// * a signed and an unsigned integer: the smallest signed one that holds both. `u64` has none with
///   a signed one: convert one of them.
/// * `bool` and another: the other.
///
/// Between kinds:
///
/// * an integer and a float: the float, but `f32` for an integer of 16 bits or more and a float of
///   16. `f64` never comes of itself: only from `f64`.
/// * `complex64` and a real number: `complex64`, but none with `f64`, which it would round.
///
/// ```
/// use bessemer_array::promote;
/// use bessemer_core::DType;
///
/// assert_eq!(promote(DType::U8, DType::I32), Some(DType::I32));
/// assert_eq!(promote(DType::I32, DType::U32), Some(DType::I64));
/// assert_eq!(promote(DType::F16, DType::BF16), Some(DType::F32));
/// assert_eq!(promote(DType::I64, DType::F32), Some(DType::F32));
/// assert_eq!(promote(DType::I64, DType::U64), None);
/// assert_eq!(promote(DType::Complex64, DType::F64), None);
/// ```
pub fn promote(a: DType, b: DType) -> Option<DType> {
    match (a, b) {
        _ if a.is_block() || b.is_block() => None,
        _ if a == b => Some(a),
        (Bool, other) | (other, Bool) => Some(other),
        (Complex64, F64) | (F64, Complex64) => None,
        (Complex64, _) | (_, Complex64) => Some(Complex64),
        (F64, _) | (_, F64) => Some(F64),
        (float @ (F16 | BF16), integer) | (integer, float @ (F16 | BF16))
            if integer.is_integer() && integer.block_bytes() == 1 =>
        {
            Some(float)
        }
        _ if a.is_float() || b.is_float() => Some(F32),
        _ => integers(a, b),
    }
}

fn integers(a: DType, b: DType) -> Option<DType> {
    if a.is_signed_integer() == b.is_signed_integer() {
        return Some(if a.block_bytes() > b.block_bytes() { a } else { b });
    }
    let (signed, unsigned) = if a.is_signed_integer() { (a, b) } else { (b, a) };
    let bytes = signed.block_bytes().max(2 * unsigned.block_bytes());
    [I8, I16, I32, I64].into_iter().find(|dtype| dtype.block_bytes() == bytes)
}

/// The dtype that functions of numbers (`exp`, `sqrt`, …) give for `dtype`.
pub(crate) fn float_of(dtype: DType) -> DType {
    if dtype.is_float() || dtype.is_complex() { dtype } else { default_float() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer_core::DType::{U8, U16, U32};

    #[test]
    fn it_does_not_matter_which_comes_first() {
        for a in DType::ALL {
            for b in DType::ALL {
                assert_eq!(promote(a, b), promote(b, a), "{a} and {b}");
            }
        }
    }

    /// The tables of the array API standard, where it has any.
    #[test]
    fn the_standards_tables() {
        let signed = [I8, I16, I32, I64];
        let unsigned = [U8, U16, U32, U64];
        for (i, &a) in signed.iter().enumerate() {
            for (j, &b) in signed.iter().enumerate() {
                assert_eq!(promote(a, b), Some(signed[i.max(j)]));
                assert_eq!(promote(unsigned[i], unsigned[j]), Some(unsigned[i.max(j)]));
                let mixed = signed.get(i.max(j + 1)).copied();
                assert_eq!(promote(a, unsigned[j]), mixed, "{a} and {}", unsigned[j]);
            }
        }
        assert_eq!(promote(F32, F64), Some(F64));
        assert_eq!(promote(F32, Complex64), Some(Complex64));
        assert_eq!(promote(F64, Complex64), None);
    }

    #[test]
    fn between_kinds() {
        for dtype in DType::PLAIN {
            assert_eq!(promote(Bool, dtype), Some(dtype));
            let real = !dtype.is_complex();
            assert_eq!(promote(F64, dtype), real.then_some(F64));
            if dtype.is_integer() {
                assert_eq!(promote(F32, dtype), Some(F32));
                assert_eq!(promote(Complex64, dtype), Some(Complex64));
                let small = dtype.block_bytes() == 1;
                assert_eq!(promote(F16, dtype), Some(if small { F16 } else { F32 }));
                assert_eq!(promote(BF16, dtype), Some(if small { BF16 } else { F32 }));
            }
        }
        assert_eq!(promote(F16, BF16), Some(F32));
        assert_eq!(promote(DType::Q4_0, F32), None);
    }
}
