//! The class `Array`: a handle to an array of bessemer, with its attributes and conversions.
//! Operators, indexing, buffers, DLPack and pickling have their own files here; functions are in
//! `functions`.

mod buffer;
mod convert;
mod dlpack;
mod export;
mod foreign;
mod index;
mod methods;
mod numbers;
mod operators;
mod pickle;
mod read;
mod repr;

pub(crate) use convert::{array_like, from_bytes};
pub(crate) use dlpack::from_dlpack;
pub(crate) use read::bytes_of;

use crate::{
    device, dtype,
    errors::{OrRaise, exception},
    signals,
};
use bessemer::Array;
use pyo3::{prelude::*, types::PyTuple};
use std::sync::{Mutex, PoisonError};

/// An n-dimensional array on a device: lazy, and cheap to copy.
///
/// Arithmetic only notes down what is to be done. The elements are computed when they are needed (by
/// printing, `numpy.asarray`, `float`, `bessemer.eval` and the like), and chains of elementwise steps
/// with the reduction at their end run as one fused program; `explain` shows it.
///
/// Elements never change once they are computed. `x[...] = v` and `x += v` make `x` a new array, and
/// slices that were taken of it before keep the old elements.
///
/// >>> import bessemer as bm
/// >>> a = bm.array([[1.0, 2.0], [3.0, 4.0]])
/// >>> 2 * a + bm.array([10.0, 20.0])
/// array([[12., 24.],
///        [16., 28.]], dtype=float32)
/// >>> (a + 1).sum().item()
/// 14.0
#[pyclass(name = "Array", module = "bessemer", frozen, weakref)]
pub(crate) struct PyArray {
    /// Replaced by assignments; the array itself never changes.
    handle: Mutex<Array>,
}

impl PyArray {
    /// The array that it is a handle to now.
    pub(crate) fn get(&self) -> Array {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes it a handle to another array.
    fn set(&self, array: Array) {
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *handle, array);
        drop(handle);
        // A long graph takes a while to drop: not under the lock.
        drop(old);
    }
}

/// An array on its way to Python: one that carries an error raises it.
pub(crate) struct Out(pub(crate) Array);

impl<'py> IntoPyObject<'py> for Out {
    type Target = PyArray;
    type Output = Bound<'py, PyArray>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0.error() {
            Some(error) => Err(exception(&error.clone().into())),
            None => Bound::new(py, PyArray { handle: Mutex::new(self.0) }),
        }
    }
}

/// Computes arrays with the interpreter free for other threads. A signal such as Ctrl-C is noticed while that
/// takes long: then the computation ends on its own, and its results are there for whoever asks next.
pub(crate) fn evaluate(py: Python<'_>, arrays: &[&Array]) -> PyResult<()> {
    if arrays.iter().all(|array| array.is_evaluated()) {
        return Ok(());
    }
    if arrays.iter().any(|array| array.is_long()) {
        let arrays: Vec<Array> = arrays.iter().copied().cloned().collect();
        let work = move || Array::eval_all(&arrays.iter().collect::<Vec<_>>());
        return signals::interruptible(py, work, || ())?.or_raise();
    }
    py.detach(|| Array::eval_all(arrays)).or_raise()
}

/// Attributes.
#[pymethods]
impl PyArray {
    /// The size of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get().dims())
    }

    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.get().rank()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.get().elements()
    }

    /// The bytes that its elements take.
    #[getter]
    fn nbytes(&self) -> usize {
        let array = self.get();
        array.elements() * array.dtype().block_bytes()
    }

    /// The bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.get().dtype().block_bytes()
    }

    /// How its elements are stored.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.get().dtype())
    }

    /// The device it is on.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, device::PyDevice>> {
        device::object(py, self.get().device())
    }

    /// The transpose of a matrix.
    #[getter(T)]
    fn transposed(&self) -> PyResult<Out> {
        let array = self.get();
        if array.rank() == 2 {
            return Ok(Out(array.transpose()));
        }
        Err(crate::errors::value_error(format!(
            "T: the array has {} dimensions, not 2; use `permute_dims`, or `mT` for stacks of matrices",
            array.rank()
        )))
    }

    /// The transpose of each matrix of a stack: its last two axes swapped.
    #[getter(mT)]
    fn matrices_transposed(&self) -> Out {
        Out(self.get().swap_axes(-2, -1))
    }

    /// Whether its elements are known, so that asking for them computes nothing.
    #[getter]
    fn is_evaluated(&self) -> bool {
        self.get().is_evaluated()
    }

    /// Computes its elements, if they are not known yet, and returns it.
    fn eval<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        evaluate(slf.py(), &[&slf.get().get()])?;
        Ok(slf.clone())
    }

    /// What computing it would do: each fused program, what it reads, and the ops between them.
    /// Notebooks show it as a picture.
    ///
    /// >>> import bessemer as bm
    /// >>> x = bm.linspace(0, 5, 6)
    /// >>> print(str((x * 2 + 1).sum().explain()).splitlines()[0])
    /// #1 mul, add, sum: f32 [6] -> f32 [1]
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get();
        let text = py.detach(|| array.explain());
        py.import("bessemer._explain")?.getattr("Explanation")?.call1((text,))
    }

    /// The functions of the array API for it: the package itself.
    #[pyo3(signature = (/, *, api_version = None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&str>,
    ) -> PyResult<Bound<'py, PyModule>> {
        const KNOWN: [&str; 4] = ["2021.12", "2022.12", "2023.12", "2024.12"];
        match api_version {
            Some(version) if !KNOWN.contains(&version) => Err(crate::errors::value_error(format!(
                "__array_namespace__: version {version} is unknown; ask for one of {}",
                KNOWN.join(", ")
            ))),
            _ => py.import("bessemer"),
        }
    }

    /// The same array on another device; a copy, unless it is there already.
    #[pyo3(signature = (device, /, *, stream = None))]
    fn to_device(
        &self,
        py: Python<'_>,
        device: device::DeviceArg,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Out> {
        if stream.is_some() {
            return Err(crate::errors::value_error(
                "to_device: bessemer's devices have no streams; leave `stream` out",
            ));
        }
        let array = self.get();
        Ok(Out(py.detach(|| array.to_device(&device.0))))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArray>()?;
    module.add_function(wrap_pyfunction!(pickle::_restore, module)?)
}
