//! Indexing: `x[1, ::2, None, ...]`, arrays as indices, and iteration over the first axis.

use super::{Out, PyArray, array_like};
use crate::{
    dtype::{Kind, Row},
    errors::{exception, type_error},
    operand::Operand,
};
use bessemer::{
    Array,
    array::{Index, Selector},
};
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
    let array = part.is_instance_of::<PyArray>() || part.is_instance_of::<PyBool>();
    if !array && part.hasattr("__index__")? {
        match place(part) {
            Ok(at) => return Ok(Item::Basic(Index::At(at))),
            // NumPy's arrays say that they could be an index, and most cannot.
            Err(error) if !part.hasattr("__array__")? => return Err(error),
            Err(_) => {}
        }
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

/// The items as the engine takes them.
fn selectors(items: &[Item]) -> Vec<Selector<'_>> {
    let selectors = items.iter().map(|item| match item {
        Item::Basic(index) => Selector::Index(*index),
        Item::Array(array) => Selector::Array(array),
    });
    selectors.collect()
}

/// The indices, if there is no array among them.
fn basic(items: &[Item]) -> Option<Vec<Index>> {
    let index = |item: &Item| match item {
        Item::Basic(index) => Some(*index),
        Item::Array(_) => None,
    };
    items.iter().map(index).collect()
}

/// The part of an array that a subscript names.
fn select(py: Python<'_>, array: &Array, items: &[Item]) -> Array {
    match basic(items) {
        Some(indices) => array.slice(indices),
        // Masks are computed, to know how many there are.
        None => py.detach(|| array.index(&selectors(items))),
    }
}

#[pymethods]
impl PyArray {
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Out> {
        Ok(Out(select(key.py(), &self.get(), &items(key)?)))
    }

    /// Makes it a handle to a copy with these elements replaced.
    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: Operand) -> PyResult<()> {
        let (items, array) = (items(key)?, self.get());
        let value = match &value {
            Operand::Array(value) => bessemer::array::Operand::Array(value),
            Operand::Number(number) => bessemer::array::Operand::Scalar(*number),
        };
        let replaced = key.py().detach(|| array.with_index(&selectors(&items), value));
        match replaced.error() {
            Some(error) => Err(exception(&error.clone().into())),
            None => {
                self.set(replaced);
                Ok(())
            }
        }
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
