//! What operators and the functions of the same name compute, as functions of two arrays: the array
//! API's meaning of them in terms of bessemer's.

use bessemer::{Array, DType};

/// Both as floats, unless one is.
fn floats(a: &Array, b: &Array) -> (Array, Array) {
    let inexact = |x: &Array| x.dtype().is_float() || x.dtype().is_complex();
    if inexact(a) || inexact(b) {
        return (a.clone(), b.clone());
    }
    (a.astype(DType::F32), b.astype(DType::F32))
}

pub(crate) fn add(a: &Array, b: &Array) -> Array {
    a + b
}

pub(crate) fn subtract(a: &Array, b: &Array) -> Array {
    a - b
}

pub(crate) fn multiply(a: &Array, b: &Array) -> Array {
    a * b
}

/// True division: integers give floats.
pub(crate) fn divide(a: &Array, b: &Array) -> Array {
    let (a, b) = floats(a, b);
    a / b
}

/// The quotient rounded down.
pub(crate) fn floor_divide(a: &Array, b: &Array) -> Array {
    a.floor_divide(b)
}

/// What is left of it, with the sign of the divisor.
pub(crate) fn remainder(a: &Array, b: &Array) -> Array {
    a.remainder(b)
}

pub(crate) fn pow(a: &Array, b: &Array) -> Array {
    a.pow(b)
}

pub(crate) fn matmul(a: &Array, b: &Array) -> Array {
    a.matmul(b)
}

pub(crate) fn bitwise_and(a: &Array, b: &Array) -> Array {
    a.bitwise_and(b)
}

pub(crate) fn bitwise_or(a: &Array, b: &Array) -> Array {
    a.bitwise_or(b)
}

pub(crate) fn bitwise_xor(a: &Array, b: &Array) -> Array {
    a.bitwise_xor(b)
}

pub(crate) fn left_shift(a: &Array, b: &Array) -> Array {
    a.shl(b)
}

pub(crate) fn right_shift(a: &Array, b: &Array) -> Array {
    a.shr(b)
}
