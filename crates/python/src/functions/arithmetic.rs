//! What operators and the functions of the same name compute, as functions of two arrays: the array
//! API's meaning of them in terms of bessemer's.

use bessemer::{Array, DType};

/// Both as floats, unless one is.
fn floats(a: &Array, b: &Array) -> (Array, Array) {
    if a.dtype().is_float() || b.dtype().is_float() {
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

pub(crate) fn pow(a: &Array, b: &Array) -> Array {
    a.pow(b)
}

pub(crate) fn matmul(a: &Array, b: &Array) -> Array {
    a.matmul(b)
}

pub(crate) fn bitwise_and(a: &Array, b: &Array) -> Array {
    a & b
}

pub(crate) fn bitwise_or(a: &Array, b: &Array) -> Array {
    a | b
}

pub(crate) fn bitwise_xor(a: &Array, b: &Array) -> Array {
    a ^ b
}
