//! Functions that look for elements and pick them.

use super::manipulation::tuple;
use crate::{
    array::Out,
    errors::{OrRaise, value_error},
    operand::ArrayArg,
};
use bessemer::{
    Array,
    array::{Side, Unique},
};
use pyo3::{prelude::*, types::PyTuple};

/// The elements at these indices of an axis. Without an axis, the array must have one dimension.
///
/// >>> import bessemer as bm
/// >>> bm.take(bm.array([10, 20, 30]), bm.array([2, 0]))
/// array([30, 10])
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis = None))]
fn take(x: ArrayArg, indices: ArrayArg, axis: Option<isize>) -> PyResult<Out> {
    let axis = match axis {
        Some(axis) => axis,
        None if x.0.rank() == 1 => 0,
        None => {
            return Err(value_error(format!(
                "take: an axis is needed for an array of rank {}",
                x.0.rank()
            )));
        }
    };
    Ok(Out(x.0.take(&indices.0, axis)))
}

/// The elements at indices along an axis, one of each row: the inverse of `argsort`, for instance.
///
/// >>> import bessemer as bm
/// >>> a = bm.array([[3, 1], [2, 4]])
/// >>> bm.take_along_axis(a, bm.argsort(a, axis=1), axis=1)
/// array([[1, 3],
///        [2, 4]])
#[pyfunction]
#[pyo3(signature = (x, indices, /, *, axis = -1), text_signature = "(x, indices, /, *, axis=-1)")]
fn take_along_axis(x: ArrayArg, indices: ArrayArg, axis: isize) -> Out {
    Out(x.0.take_along_axis(&indices.0, axis))
}

/// Where elements are not 0: an array of indices for each axis.
///
/// >>> import bessemer as bm
/// >>> bm.nonzero(bm.array([0, 3, 4]))
/// (array([1, 2]),)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn nonzero<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, py.detach(|| x.0.nonzero()).or_raise()?)
}

/// Where elements would go in a sorted array of one dimension: before equal ones (`left`) or behind.
///
/// >>> import bessemer as bm
/// >>> bm.searchsorted(bm.array([1, 3, 5]), bm.array([3, 4])).tolist()
/// [1, 2]
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, side = "left", sorter = None))]
fn searchsorted(x1: ArrayArg, x2: ArrayArg, side: &str, sorter: Option<ArrayArg>) -> PyResult<Out> {
    let side = match side {
        "left" => Side::Left,
        "right" => Side::Right,
        other => {
            let text =
                format!("searchsorted: side {other:?} is unknown; use \"left\" or \"right\"");
            return Err(value_error(text));
        }
    };
    let x1 = sorter.map_or(x1.0.clone(), |sorter| x1.0.take(&sorter.0, 0));
    Ok(Out(x1.searchsorted(&x2.0, side)))
}

/// The elements along an axis in order; NaN comes last.
///
/// >>> import bessemer as bm
/// >>> bm.sort(bm.array([3, 1, 2]), descending=True)
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(
    signature = (x, /, *, axis = -1, descending = false, stable = true),
    text_signature = "(x, /, *, axis=-1, descending=False, stable=True)"
)]
fn sort(x: ArrayArg, axis: isize, descending: bool, stable: bool) -> Out {
    // Equal elements cannot be told apart.
    let _ = stable;
    Out(if descending { x.0.sort_descending(axis) } else { x.0.sort(axis) })
}

/// The indices that put the elements along an axis in order; equal ones stay in theirs.
///
/// >>> import bessemer as bm
/// >>> bm.argsort(bm.array([3, 1, 2])).tolist()
/// [1, 2, 0]
#[pyfunction]
#[pyo3(
    signature = (x, /, *, axis = -1, descending = false, stable = true),
    text_signature = "(x, /, *, axis=-1, descending=False, stable=True)"
)]
fn argsort(x: ArrayArg, axis: isize, descending: bool, stable: bool) -> Out {
    // It is always stable.
    let _ = stable;
    Out(if descending { x.0.argsort_descending(axis) } else { x.0.argsort(axis) })
}

/// A named tuple of arrays, as the standard wants results of several.
pub(super) fn named<'py>(
    py: Python<'py>,
    name: &str,
    arrays: impl IntoIterator<Item = Array>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("bessemer._results")?.getattr(name)?;
    class.call1(tuple(py, arrays)?)
}

/// The different elements in ascending order, where each is first, which one each element is, and how often
/// it occurs.
///
/// >>> import bessemer as bm
/// >>> found = bm.unique_all(bm.array([3, 1, 3]))
/// >>> found.values.tolist(), found.counts.tolist()
/// ([1, 3], [1, 2])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_all<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyAny>> {
    let Unique { values, indices, inverse, counts, .. } =
        py.detach(|| x.0.unique_all()).or_raise()?;
    named(py, "UniqueAll", [values, indices, inverse, counts])
}

/// The different elements in ascending order, and how often each occurs.
///
/// >>> import bessemer as bm
/// >>> bm.unique_counts(bm.array([3, 1, 3])).counts.tolist()
/// [1, 2]
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_counts<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyAny>> {
    let Unique { values, counts, .. } = py.detach(|| x.0.unique_all()).or_raise()?;
    named(py, "UniqueCounts", [values, counts])
}

/// The different elements in ascending order, and which one each element is.
///
/// >>> import bessemer as bm
/// >>> bm.unique_inverse(bm.array([3, 1, 3])).inverse_indices.tolist()
/// [1, 0, 1]
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_inverse<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyAny>> {
    let Unique { values, inverse, .. } = py.detach(|| x.0.unique_all()).or_raise()?;
    named(py, "UniqueInverse", [values, inverse])
}

/// The different elements in ascending order.
///
/// >>> import bessemer as bm
/// >>> bm.unique_values(bm.array([3, 1, 3]))
/// array([1, 3])
#[pyfunction]
#[pyo3(signature = (x, /))]
fn unique_values(py: Python<'_>, x: ArrayArg) -> PyResult<Out> {
    Ok(Out(py.detach(|| x.0.unique_values()).or_raise()?))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: take take_along_axis nonzero searchsorted sort argsort unique_all unique_counts
        unique_inverse unique_values)
}
