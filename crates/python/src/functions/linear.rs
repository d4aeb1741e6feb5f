//! Products, and functions of whole rows.

use super::{arithmetic, elementwise::both};
use crate::{
    array::Out,
    errors::value_error,
    operand::{ArrayArg, Operand},
};
use pyo3::prelude::*;

/// The product of matrices, or of stacks of them: what `@` gives.
///
/// >>> import bessemer as bm
/// >>> bm.matmul(bm.array([[1.0, 2.0]]), bm.array([[3.0], [4.0]]))
/// array([[11.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn matmul(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<Out> {
    let (a, b) = both(py, x1, x2)?;
    Ok(Out(arithmetic::matmul(&a, &b)))
}

/// The transpose of each matrix of a stack: its last two axes swapped.
///
/// >>> import bessemer as bm
/// >>> bm.matrix_transpose(bm.zeros((5, 2, 3))).shape
/// (5, 3, 2)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn matrix_transpose(x: ArrayArg) -> PyResult<Out> {
    if x.0.rank() < 2 {
        return Err(value_error(format!(
            "matrix_transpose: an array of rank {} is no stack of matrices",
            x.0.rank()
        )));
    }
    Ok(Out(x.0.swap_axes(-2, -1)))
}

/// Each row as shares of its sum, after `exp`.
///
/// >>> import bessemer as bm
/// >>> bm.softmax(bm.array([0.0, 0.0]))
/// array([0.5, 0.5], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = -1), text_signature = "(x, /, *, axis=-1)")]
fn softmax(x: ArrayArg, axis: isize) -> Out {
    Out(x.0.softmax(axis))
}

/// The logarithm of `softmax`, more precisely.
///
/// >>> import bessemer as bm
/// >>> bm.log_softmax(bm.array([0.0, 0.0]))
/// array([-0.6931472, -0.6931472], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = -1), text_signature = "(x, /, *, axis=-1)")]
fn log_softmax(x: ArrayArg, axis: isize) -> Out {
    Out(x.0.log_softmax(axis))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: matmul matrix_transpose softmax log_softmax)
}
