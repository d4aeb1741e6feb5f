//! Indexing: `x[1, ::2, None, ...]`, arrays as indices, and iteration over the first axis.

use super::{Out, PyArray, array_like};
use crate::{
    dtype::{Kind, Row},
    errors::{exception, type_error},
};
use bessemer::{Array, array::Index};
use pyo3::{
    IntoPyObjectExt,
    exceptions::PyIndexError,
    prelude::*,
    types::{PyBool, PyEllipsis, PySlice, PyTuple},
};

/// One item of a subscript.
enum Item {
    Basic(Index),
    Array(Array),
}

fn items(key: &Bound<'_, PyAny>) -> PyResult<Vec<Item>> {
    match key.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().map(|part| item(&part)).collect(),
        Err(_) => Ok(vec![item(key)?]),
    }
}

fn item(part: &Bound<'_, PyAny>) -> PyResult<Item> {
    if part.is_none() {
        return Ok(Item::Basic(Index::NewAxis));
    }
    if part.is_instance_of::<PyEllipsis>() {
        return Ok(Item::Basic(Index::Ellipsis));
    }
    if let Ok(slice) = part.cast::<PySlice>() {
        let bound = |name: &str| {
            let value = slice.getattr(name)?;
            if value.is_none() { Ok(None) } else { place(&value).map(Some) }
        };
        let step = bound("step")?.unwrap_or(1);
        let range = Index::Range { start: bound("start")?, end: bound("stop")?, step };
        return Ok(Item::Basic(range));
    }
    let array = part.cast::<PyArray>();
    if array.is_err() && !part.is_instance_of::<PyBool>() && part.hasattr("__index__")? {
        return Ok(Item::Basic(Index::At(place(part)?)));
    }
    let array = array_like(part, None, None, None).map_err(|error| {
        let what = part.get_type();
        let text = format!(
            "index: {what} is no index; use integers, slices, `...`, None, and arrays of integers or \
             booleans"
        );
        let wrong = PyIndexError::new_err(text);
        wrong.set_cause(part.py(), Some(error));
        wrong
    })?;
    let kind = Row::of(array.dtype()).kind;
    if kind == Kind::Bool || kind == Kind::Signed || kind == Kind::Unsigned {
        return Ok(Item::Array(array));
    }
    Err(PyIndexError::new_err(format!(
        "index: an array of {} is no index; use integers or booleans",
        Row::of(array.dtype()).name
    )))
}

/// An integer as an index; numbers beyond all arrays are as good as the largest.
fn place(value: &Bound<'_, PyAny>) -> PyResult<isize> {
    value.extract::<isize>().or_else(|error| {
        let overflow = error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py());
        if !overflow {
            return Err(type_error(format!("index: {value} is not an integer")));
        }
        Ok(if value.lt(0)? { isize::MIN } else { isize::MAX })
    })
}

/// The part of an array that a subscript names.
fn select(array: &Array, items: Vec<Item>) -> PyResult<Array> {
    let mut basic = Vec::with_capacity(items.len());
    let mut arrays = Vec::new();
    for item in items {
        match item {
            Item::Basic(index) => basic.push(index),
            Item::Array(indices) => arrays.push((basic.len(), indices)),
        }
    }
    let selected = match arrays.as_slice() {
        [] => array.slice(basic),
        [(0, indices)] if basic.is_empty() && indices.dtype() != bessemer::DType::Bool => {
            array.take(indices, 0)
        }
        _ => return Err(PyIndexError::new_err("index: unsupported combination of arrays")),
    };
    match selected.error() {
        Some(error) => Err(exception(&error.clone().into())),
        None => Ok(selected),
    }
}

#[pymethods]
impl PyArray {
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Out> {
        Ok(Out(select(&self.get(), items(key)?)?))
    }

    fn __iter__(&self) -> PyResult<Rows> {
        let array = self.get();
        let count = array.dims().first().copied();
        let count = count.ok_or_else(|| type_error("iter: the array has rank 0"))?;
        Ok(Rows { array, next: 0.into(), count })
    }
}

/// The parts of an array along its first axis, one after another.
#[pyclass(module = "bessemer", frozen)]
struct Rows {
    array: Array,
    next: std::sync::atomic::AtomicUsize,
    count: usize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let next = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if next >= self.count {
            return Ok(None);
        }
        Out(self.array.at(next as isize)).into_py_any(py).map(Some)
    }

    fn __length_hint__(&self) -> usize {
        self.count.saturating_sub(self.next.load(std::sync::atomic::Ordering::Relaxed))
    }
}
