//! Arrays in files: NumPy's `.npy`, and safetensors. `.npz` is made of the former, in Python.

use crate::{
    array::{Out, bytes_of, from_bytes},
    device::DeviceArg,
    dtype::Row,
    errors::{OrRaise, value_error},
    operand::ArrayArg,
};
use bessemer::{Array, DType};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::HashMap;

/// The array of a `.npy` file.
#[pyfunction]
#[pyo3(signature = (data, /, *, device = None))]
fn _npy_read(py: Python<'_>, data: &[u8], device: Option<DeviceArg>) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let mut rest = data;
    Ok(Out(py.detach(|| Array::read_npy(&device, &mut rest)).or_raise()?))
}

/// The `.npy` file of an array.
#[pyfunction]
#[pyo3(signature = (x, /))]
fn _npy_write<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyBytes>> {
    let mut bytes = Vec::new();
    py.detach(|| x.0.write_npy(&mut bytes)).or_raise()?;
    Ok(PyBytes::new(py, &bytes))
}

/// What safetensors calls the dtypes of arrays.
const DTYPES: &[(Dtype, DType)] = &[
    (Dtype::BOOL, DType::Bool),
    (Dtype::U8, DType::U8),
    (Dtype::I32, DType::I32),
    (Dtype::U32, DType::U32),
    (Dtype::F16, DType::F16),
    (Dtype::BF16, DType::BF16),
    (Dtype::F32, DType::F32),
    (Dtype::F64, DType::F64),
    (Dtype::I8, DType::I8),
    (Dtype::I16, DType::I16),
    (Dtype::I64, DType::I64),
    (Dtype::U16, DType::U16),
    (Dtype::U64, DType::U64),
    (Dtype::C64, DType::Complex64),
];

/// The arrays of a safetensors file, by name.
#[pyfunction]
#[pyo3(signature = (data, /, *, device = None))]
fn _safetensors_read<'py>(
    py: Python<'py>,
    data: &[u8],
    device: Option<DeviceArg>,
) -> PyResult<Bound<'py, PyDict>> {
    let device = DeviceArg::or_current(py, device)?;
    let broken = |why: String| value_error(format!("safetensors: {why}"));
    let file = SafeTensors::deserialize(data).map_err(|error| broken(error.to_string()))?;
    let arrays = PyDict::new(py);
    for (name, tensor) in file.iter() {
        let known = DTYPES.iter().find(|(dtype, _)| *dtype == tensor.dtype());
        let Some(&(_, dtype)) = known else {
            let dtype = tensor.dtype();
            return Err(broken(format!("`{name}` is {dtype:?}, which arrays cannot hold")));
        };
        let array = from_bytes(py, &device, dtype, tensor.shape(), tensor.data())?;
        arrays.set_item(name, Out(array).into_pyobject(py)?)?;
    }
    Ok(arrays)
}

/// The safetensors file of arrays.
#[pyfunction]
#[pyo3(signature = (arrays, metadata, /))]
fn _safetensors_write<'py>(
    py: Python<'py>,
    arrays: HashMap<String, ArrayArg>,
    metadata: Option<HashMap<String, String>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut parts = Vec::with_capacity(arrays.len());
    for (name, array) in &arrays {
        let found = DTYPES.iter().find(|(_, dtype)| *dtype == array.0.dtype());
        let &(dtype, _) = found.ok_or_else(|| {
            let dtype = Row::of(array.0.dtype()).name;
            value_error(format!("safetensors: `{name}` is {dtype}, which such files cannot hold"))
        })?;
        parts.push((name, dtype, array.0.dims().to_vec(), bytes_of(py, &array.0)?));
    }
    let views = parts.iter().map(|(name, dtype, shape, bytes)| {
        let view = TensorView::new(*dtype, shape.clone(), bytes);
        view.map(|view| (*name, view))
    });
    let views = views.collect::<Result<Vec<_>, _>>();
    let wrong = |error: safetensors::SafeTensorError| value_error(error.to_string());
    let bytes = safetensors::serialize(views.map_err(wrong)?, metadata).map_err(wrong)?;
    Ok(PyBytes::new(py, &bytes))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: _npy_read _npy_write _safetensors_read _safetensors_write)
}
