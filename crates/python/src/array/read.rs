//! Elements of arrays as Python's own numbers and lists. Everything here computes the array first.

use super::{PyArray, evaluate};
use crate::{
    dtype::{Kind, Row},
    errors::{OrRaise, type_error, value_error},
};
use bessemer::{Array, Slice, View};
use pyo3::{
    prelude::*,
    types::{PyBool, PyComplex, PyFloat, PyInt, PyList},
};

/// The elements of an array in row-major order, as bytes.
pub(crate) fn bytes_of(py: Python<'_>, array: &Array) -> PyResult<Vec<u8>> {
    evaluate(py, &[array])?;
    py.detach(|| {
        let view = gapless(array)?;
        let mut bytes = vec![0; view.stored_bytes()];
        array.device().read(&Slice::new(view.buffer(), view.range())?, &mut bytes)?;
        Ok::<_, bessemer::Error>(bytes)
    })
    .or_raise()
}

/// The elements in row-major order in memory, copied if need be.
pub(crate) fn gapless(array: &Array) -> bessemer::Result<View> {
    let view = array.view()?;
    Ok(if view.is_contiguous() { view } else { array.copied().view()? })
}

/// One element as Python's number.
fn number<'py>(py: Python<'py>, row: &Row, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let float = |x: f64| PyFloat::new(py, x).into_any();
    Ok(match (row.kind, bytes) {
        (Kind::Bool, _) => PyBool::new(py, bytes[0] != 0).to_owned().into_any(),
        (Kind::Float, &[a, b]) if row.dlpack == 4 => {
            float(f32::from_bits(u32::from(u16::from_le_bytes([a, b])) << 16).into())
        }
        (Kind::Float, &[a, b]) => float(half::f16::from_le_bytes([a, b]).into()),
        (Kind::Float, &[a, b, c, d]) => float(f32::from_le_bytes([a, b, c, d]).into()),
        (Kind::Float, _) => float(f64::from_le_bytes(eight(bytes, 0))),
        (Kind::Complex, _) => {
            let part = |at: usize| f64::from(f32::from_le_bytes(four(&bytes[at..])));
            PyComplex::from_doubles(py, part(0), part(4)).into_any()
        }
        (Kind::Signed, _) => {
            let fill = if bytes.last().is_some_and(|&byte| byte >= 128) { 255 } else { 0 };
            i64::from_le_bytes(eight(bytes, fill)).into_pyobject(py)?.into_any()
        }
        (Kind::Unsigned, _) => u64::from_le_bytes(eight(bytes, 0)).into_pyobject(py)?.into_any(),
    })
}

/// The first four of these bytes.
fn four(bytes: &[u8]) -> [u8; 4] {
    let mut all = [0; 4];
    all.copy_from_slice(&bytes[..4]);
    all
}

/// Eight bytes that begin with these.
fn eight(bytes: &[u8], fill: u8) -> [u8; 8] {
    let mut all = [fill; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    all
}

/// Nested lists of a shape.
fn nested<'py>(
    py: Python<'py>,
    row: &Row,
    shape: &[usize],
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let Some((&count, rest)) = shape.split_first() else {
        return number(py, row, bytes);
    };
    let each = bytes.len() / count.max(1);
    let items = (0..count).map(|i| nested(py, row, rest, &bytes[i * each..(i + 1) * each]));
    Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

#[pymethods]
impl PyArray {
    /// The only element of an array of one, as Python's number.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.arange(101).sum().item()
    /// 5050
    pub(super) fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get();
        if array.elements() != 1 {
            return Err(value_error(format!(
                "item: the array has {} elements, not one (shape: {})",
                array.elements(),
                array.shape()
            )));
        }
        number(py, Row::of(array.dtype()), &bytes_of(py, &array)?)
    }

    /// Its elements as nested lists of Python's numbers; one number for an array of rank 0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.array([[1, 2], [3, 4]]).tolist()
    /// [[1, 2], [3, 4]]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get();
        let bytes = bytes_of(py, &array)?;
        nested(py, Row::of(array.dtype()), array.dims(), &bytes)
    }

    /// Its elements in row-major order, as bytes.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        Ok(pyo3::types::PyBytes::new(py, &bytes_of(py, &self.get())?))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let array = self.get();
        if array.elements() != 1 {
            return Err(value_error(format!(
                "bool: an array of {} elements is neither true nor false; use `any` or `all`",
                array.elements()
            )));
        }
        self.item(py)?.is_truthy()
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyFloat>().call1((self.item(py)?,))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyInt>().call1((self.item(py)?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyComplex>().call1((self.item(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get();
        let kind = Row::of(array.dtype()).kind;
        if array.rank() > 0 || !matches!(kind, Kind::Signed | Kind::Unsigned) {
            return Err(type_error(format!(
                "index: only arrays of integers and of rank 0 can be used as one (array: {} {})",
                Row::of(array.dtype()).name,
                array.shape()
            )));
        }
        self.item(py)
    }

    fn __len__(&self) -> PyResult<usize> {
        let array = self.get();
        array.dims().first().copied().ok_or_else(|| type_error("len: the array has rank 0"))
    }
}

/// What has its elements computed, as a view of memory.
pub(crate) fn view_of(py: Python<'_>, array: &Array) -> PyResult<View> {
    evaluate(py, &[array])?;
    array.view().or_raise()
}
