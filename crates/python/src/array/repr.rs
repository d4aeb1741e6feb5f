//! Arrays as text and HTML, as NumPy and notebooks show them.

use super::PyArray;
use crate::{dtype::Row, errors::OrRaise};
use pyo3::prelude::*;

/// The longest line, and from how many elements on only the edges are shown: NumPy's.
const WIDTH: usize = 75;
const THRESHOLD: usize = 1000;

#[pymethods]
impl PyArray {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let array = self.get();
        py.detach(|| array.eval().map(|()| array.to_string())).or_raise()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let array = self.get();
        let list = py.detach(|| array.list_text("array(".len(), ")".len())).or_raise()?;
        let mut more = Vec::new();
        let empty = array.elements() == 0;
        if empty && *array.dims() != [0] || array.elements() > THRESHOLD {
            let sizes: Vec<_> = array.dims().iter().map(usize::to_string).collect();
            let comma = if sizes.len() == 1 { "," } else { "" };
            more.push(format!("shape=({}{comma})", sizes.join(", ")));
        }
        let name = Row::of(array.dtype()).name;
        // What a literal of NumPy's has anyway is not said, unless there is no element to tell.
        if empty && name != "float64" || !matches!(name, "bool" | "int64" | "float64") {
            more.push(format!("dtype={name}"));
        }
        let text = format!("array({list}");
        if more.is_empty() {
            return Ok(text + ")");
        }
        let more = more.join(", ") + ")";
        let last = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
        // With the comma and the space between both.
        let space = match last + 1 + more.len() + 1 > WIDTH {
            true => format!("\n{}", " ".repeat("array(".len())),
            false => " ".to_owned(),
        };
        Ok(format!("{text},{space}{more}"))
    }

    /// For notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bessemer._html")?.getattr("array")?.call1((slf,))
    }

    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get();
        if array.rank() == 0 && !spec.is_empty() {
            return self.item(py)?.call_method1("__format__", (spec,));
        }
        self.__str__(py)?.into_pyobject(py)?.into_any().call_method1("__format__", (spec,))
    }
}
