//! Computing several arrays at once.

use crate::array::{PyArray, evaluate};
use bessemer::Array;
use pyo3::{
    prelude::*,
    types::{PyDict, PyList, PyTuple},
};

/// Computes arrays in one batch: what they have in common is computed once. Lists, tuples and dicts of
/// arrays will do too.
///
/// >>> import bessemer as bm
/// >>> x = bm.arange(5, dtype="float32")
/// >>> low, high = x.min(), x.max()
/// >>> bm.eval(low, high)
/// >>> low.is_evaluated, high.is_evaluated
/// (True, True)
#[pyfunction]
#[pyo3(signature = (*arrays))]
fn eval(arrays: &Bound<'_, PyTuple>) -> PyResult<()> {
    let mut all: Vec<Array> = Vec::new();
    gather(arrays.as_any(), &mut all)?;
    // One batch per device.
    while let Some(first) = all.first() {
        let id = first.device().info().id;
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|array| array.device().info().id == id);
        evaluate(arrays.py(), &here.iter().collect::<Vec<_>>())?;
        all = elsewhere;
    }
    Ok(())
}

fn gather(object: &Bound<'_, PyAny>, all: &mut Vec<Array>) -> PyResult<()> {
    if let Ok(array) = object.cast::<PyArray>() {
        all.push(array.get().get());
        return Ok(());
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return dict.values().iter().try_for_each(|value| gather(&value, all));
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        return object.try_iter()?.try_for_each(|item| gather(&item?, all));
    }
    Err(crate::errors::type_error(format!(
        "eval: {} is not an array; pass arrays, or lists, tuples and dicts of them",
        object.get_type().name()?
    )))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: eval)
}
