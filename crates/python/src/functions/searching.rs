//! Functions that look for elements and pick them.

use crate::{array::Out, operand::ArrayArg};
use pyo3::prelude::*;

/// The elements at these indices of an axis. Without an axis, the array must have one dimension.
///
/// >>> import bessemer as bm
/// >>> bm.take(bm.array([10, 20, 30]), bm.array([2, 0]))
/// array([30, 10], dtype=int32)
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis = None))]
fn take(x: ArrayArg, indices: ArrayArg, axis: Option<isize>) -> PyResult<Out> {
    let axis = match axis {
        Some(axis) => axis,
        None if x.0.rank() == 1 => 0,
        None => {
            return Err(crate::errors::value_error(format!(
                "take: an axis is needed for an array of rank {}",
                x.0.rank()
            )));
        }
    };
    Ok(Out(x.0.take(&indices.0, axis)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: take)
}
