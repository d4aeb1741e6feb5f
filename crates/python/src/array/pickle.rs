//! Pickling and copying, and NumPy's own protocols.

use super::{Out, PyArray, convert, read};
use crate::{
    device::DeviceArg,
    dtype::{self, DTypeArg, Row},
    errors::{OrRaise, value_error},
    operand::ShapeArg,
};
use bessemer::{Array, DType, Shape, View};
use pyo3::{
    buffer::PyBuffer,
    prelude::*,
    types::{PyBytes, PyDict, PyTuple},
};

#[pymethods]
impl PyArray {
    /// Elements, dtype and shape; a pickle says nothing of devices, and is read on the current one.
    /// From protocol 5 on the elements can go out of band, without a copy.
    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        protocol: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let array = slf.get().get();
        let data = match protocol.extract::<i64>()? >= 5 {
            true => {
                let bytes = Out(as_bytes(py, &array)?).into_pyobject(py)?;
                py.import("pickle")?.getattr("PickleBuffer")?.call1((bytes,))?
            }
            false => PyBytes::new(py, &read::bytes_of(py, &array)?).into_any(),
        };
        let shape = PyTuple::new(py, array.dims())?;
        let arguments = (Row::of(array.dtype()).name, shape, data).into_pyobject(py)?;
        Ok((py.import("bessemer._bessemer")?.getattr("_restore")?, arguments))
    }

    fn __copy__(&self) -> Out {
        Out(self.get())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Out {
        Out(self.get())
    }

    /// For NumPy. Without a dtype and a copy, what it gets is read-only.
    #[pyo3(signature = (dtype = None, /, *, copy = None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let numpy = py.import("numpy")?;
        let array = slf.get().get();
        let own = dtype::object(py, array.dtype())?;
        // As bytes first: those of bfloat16 are nothing that buffers could describe.
        let bytes = Out(as_bytes(py, &array)?).into_pyobject(py)?;
        let view = py.get_type::<pyo3::types::PyMemoryView>().call1((bytes,))?;
        let shape = PyTuple::new(py, array.dims())?;
        let plain = numpy.call_method1("frombuffer", (view, own.getattr("dtype")?))?;
        let plain = plain.call_method1("reshape", (shape,))?;
        let same = match dtype {
            Some(dtype) => numpy.call_method1("dtype", (dtype,))?.eq(own.getattr("dtype")?)?,
            None => true,
        };
        if !same && copy == Some(false) {
            return Err(value_error("__array__: the array has another dtype; it must be copied"));
        }
        match (dtype, copy) {
            (Some(dtype), _) if !same => plain.call_method1("astype", (dtype,)),
            (_, Some(true)) => plain.call_method0("copy"),
            _ => Ok(plain),
        }
    }

    /// Functions of NumPy that go through each element.
    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        &self,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = ufunc.py();
        let kwargs = kwargs.map_or_else(|| PyDict::new(py), Clone::clone);
        py.import("bessemer._numpy")?.call_method1("array_ufunc", (ufunc, method, inputs, kwargs))
    }

    /// All other functions of NumPy.
    fn __array_function__<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        _types: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        kwargs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numpy = function.py().import("bessemer._numpy")?;
        numpy.call_method1("array_function", (function, args, kwargs))
    }
}

/// The elements in row-major order, as an array of bytes in the same memory.
fn as_bytes(py: Python<'_>, array: &Array) -> PyResult<Array> {
    py.detach(|| {
        let view = read::gapless(array)?;
        let bytes = Shape::new(&[view.stored_bytes()])?;
        let strides = bessemer::Strides::new(&[1])?;
        let view = View::at(view.buffer(), DType::U8, bytes, strides, view.offset())?;
        Ok::<_, bessemer::Error>(Array::from_view(array.device(), &view)?)
    })
    .or_raise()
}

/// An array that was pickled.
#[pyfunction]
pub(super) fn _restore(
    py: Python<'_>,
    dtype: DTypeArg,
    shape: ShapeArg,
    data: PyBuffer<u8>,
) -> PyResult<Out> {
    let bytes = data.to_vec(py)?;
    let wanted = shape.0.iter().try_fold(dtype.0.block_bytes(), |n, &size| n.checked_mul(size));
    if wanted != Some(bytes.len()) {
        return Err(value_error(format!(
            "pickle: there are {} bytes for an array of shape {:?} and dtype {}",
            bytes.len(),
            shape.0,
            Row::of(dtype.0).name
        )));
    }
    let device = DeviceArg::or_current(py, None)?;
    Ok(Out(convert::from_bytes(py, &device, dtype.0, &shape.0, &bytes)?))
}
