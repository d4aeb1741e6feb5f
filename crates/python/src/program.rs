//! Programs of the caller's own: `Program`, `LaunchConfig`, and `Executor`, which runs them on memory by
//! handles. Tracing of Python functions is in `python/bessemer/_program.py`.

use crate::{
    array::Out,
    device::PyDevice,
    dtype,
    errors::{OrRaise, type_error, value_error},
    operand::{Operand, number},
};
use bessemer::{
    Argument, Array, Executor, Handle,
    array::Operand as Operands,
    program::{Form, LaunchConfig, Literal, ParamKind, Program},
};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyBytes, PyTuple},
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A program: a small typed kernel that means the same on every device, verified before it can run.
///
/// A program of map form is called with arrays, and numbers for its uniforms; it gives the array that
/// it writes, or a tuple of them. One of kernel form runs on an `Executor`.
///
/// >>> import bessemer as bm
/// >>> scale = bm.Program('''
/// ... program scale(in view a: f32, out view c: f32, uniform k: f32) {
/// ...     %x = load a[@]
/// ...     %y = fma %x, k, 1.0
/// ...     store c[@], %y
/// ... }
/// ... ''')
/// >>> scale(bm.array([1.0, 2.0]), 10)
/// array([11., 21.], dtype=float32)
#[pyclass(name = "Program", module = "bessemer", frozen)]
pub(crate) struct PyProgram {
    program: Program,
}

#[pymethods]
impl PyProgram {
    #[new]
    #[pyo3(signature = (text, /, *, file = "program"))]
    fn new(text: &str, file: &str) -> PyResult<PyProgram> {
        Ok(PyProgram { program: Program::parse(file, text).or_raise()? })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.program.name()
    }

    /// `map`, which runs over every element of arrays, or `kernel`, which runs on a grid of threads.
    #[getter]
    fn form(&self) -> &'static str {
        if self.program.form() == Form::Map { "map" } else { "kernel" }
    }

    /// Its parameters: the name, the kind (such as `in view`), and the dtype of each.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let each = self.program.params().iter().map(|param| {
            let kind = match param.kind {
                ParamKind::View(direction) => format!("{} view", direction.name()),
                ParamKind::Buffer(direction) => format!("{} buffer", direction.name()),
                ParamKind::Uniform => "uniform".to_owned(),
            };
            (param.name.as_str(), kind, dtype::object(py, param.dtype)?).into_py_any(py)
        });
        PyTuple::new(py, each.collect::<PyResult<Vec<_>>>()?)
    }

    /// Arithmetic operations per element or thread; an `fma` is two.
    #[getter]
    fn flops(&self) -> u64 {
        self.program.flops()
    }

    #[pyo3(signature = (*arguments))]
    fn __call__(&self, py: Python<'_>, arguments: Vec<Operand>) -> PyResult<Py<PyAny>> {
        if self.program.form() == Form::Kernel {
            return Err(type_error(format!(
                "{}: it is of kernel form, so it needs memory and a grid; run it with `Executor`",
                self.program.name()
            )));
        }
        let operands: Vec<Operands<'_>> = arguments
            .iter()
            .map(|argument| match argument {
                Operand::Array(array) => Operands::Array(array),
                Operand::Number(number) => Operands::Scalar(*number),
            })
            .collect();
        let mut results = py.detach(|| Array::run_program(&self.program, &operands)).or_raise()?;
        match results.len() {
            1 => Out(results.remove(0)).into_py_any(py),
            _ => PyTuple::new(py, results.into_iter().map(Out))?.into_py_any(py),
        }
    }

    /// The text form.
    fn __str__(&self) -> String {
        self.program.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Program({:?})", self.program.to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<PyProgram>().into_any(), (self.program.to_string(),))
    }
}

/// How many threadgroups, and how many threads in each: along x, or along x, y and z.
///
/// >>> import bessemer as bm
/// >>> bm.LaunchConfig(grid=4, block=(16, 16)).threads
/// 1024
/// >>> bm.LaunchConfig.linear(1000, 256)
/// LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1))
#[pyclass(name = "LaunchConfig", module = "bessemer", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyLaunch(LaunchConfig);

/// Sizes as Python gets them.
type Sizes = (u32, u32, u32);

/// A number of things along one to three axes.
struct Extent([u32; 3]);

impl<'py> FromPyObject<'_, 'py> for Extent {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let sizes = match object.extract::<u32>() {
            Ok(size) => vec![size],
            Err(_) => object.extract::<Vec<u32>>()?,
        };
        if sizes.is_empty() || sizes.len() > 3 {
            return Err(value_error(format!(
                "launch: {} sizes were given; give 1 to 3",
                sizes.len()
            )));
        }
        let mut all = [1; 3];
        all[..sizes.len()].copy_from_slice(&sizes);
        Ok(Extent(all))
    }
}

#[pymethods]
impl PyLaunch {
    #[new]
    #[pyo3(signature = (grid, block))]
    fn new(grid: Extent, block: Extent) -> PyResult<PyLaunch> {
        let launch = LaunchConfig { grid: grid.0, block: block.0 };
        launch.check("launch").or_raise()?;
        Ok(PyLaunch(launch))
    }

    /// Threadgroups of `block` threads in a row, enough for `threads`.
    #[staticmethod]
    #[pyo3(signature = (threads, block = 256))]
    fn linear(threads: u32, block: u32) -> PyResult<PyLaunch> {
        let launch = LaunchConfig::linear(threads, block);
        launch.check("launch").or_raise()?;
        Ok(PyLaunch(launch))
    }

    /// Threadgroups along x, y and z.
    #[getter]
    fn grid(&self) -> Sizes {
        self.0.grid.into()
    }

    /// Threads of a threadgroup along x, y and z.
    #[getter]
    fn block(&self) -> Sizes {
        self.0.block.into()
    }

    /// Threads in all.
    #[getter]
    fn threads(&self) -> usize {
        self.0.threads() * self.0.groups()
    }

    fn __repr__(&self) -> String {
        format!("LaunchConfig(grid={:?}, block={:?})", self.grid(), self.block())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Sizes, Sizes)) {
        (py.get_type::<PyLaunch>().into_any(), (self.grid(), self.block()))
    }
}

/// A piece of memory of an `Executor`.
#[pyclass(name = "Handle", module = "bessemer", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyHandle {
    handle: Handle,
    /// Its size in bytes.
    #[pyo3(get)]
    nbytes: usize,
}

#[pymethods]
impl PyHandle {
    fn __repr__(&self) -> String {
        format!("<{:?}: {} bytes>", self.handle, self.nbytes)
    }
}

/// Runs programs of kernel form on memory by handles, with the same results on every device.
///
/// `backend` is the name of a device: `auto`, `cpu`, `metal`, `webgpu` or `reference`.
///
/// >>> import bessemer as bm
/// >>> twice = bm.Program('''
/// ... program twice(inout buffer x: f32) {
/// ...     %i = global.x
/// ...     %x = load x[%i]
/// ...     %x = add %x, %x
/// ...     store x[%i], %x
/// ... }
/// ... ''')
/// >>> executor = bm.Executor(backend="cpu")
/// >>> x = executor.allocate(bm.array([1.0, 2.0, 3.0, 4.0]))
/// >>> executor.execute(twice, bm.LaunchConfig.linear(4, 4), x)
/// >>> memoryview(executor.copy_out(x)).cast("f").tolist()
/// [2.0, 4.0, 6.0, 8.0]
/// >>> executor.free(x)
#[pyclass(name = "Executor", module = "bessemer", frozen)]
pub(crate) struct PyExecutor {
    executor: Mutex<Executor>,
    device: Py<PyDevice>,
}

impl PyExecutor {
    /// Only while the interpreter is detached: whoever has the lock may want to attach.
    fn lock(&self) -> MutexGuard<'_, Executor> {
        self.executor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of an object with a buffer, in row-major order.
fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = object.py();
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let view = py.get_type::<pyo3::types::PyMemoryView>().call1((object,))?;
    let bytes = view.call_method0("tobytes")?;
    Ok(bytes.cast_into::<PyBytes>()?.as_bytes().to_vec())
}

#[pymethods]
impl PyExecutor {
    #[new]
    #[pyo3(signature = (backend = "auto"))]
    fn new(py: Python<'_>, backend: &str) -> PyResult<PyExecutor> {
        let device = crate::device::shared(py, backend)?;
        let executor = Executor::new(device.get().device.clone());
        Ok(PyExecutor { executor: Mutex::new(executor), device: device.unbind() })
    }

    /// The device it runs programs on.
    #[getter]
    fn device(&self, py: Python<'_>) -> Py<PyDevice> {
        self.device.clone_ref(py)
    }

    /// New memory: so many bytes, all zero, or a copy of an array's or a buffer's bytes.
    fn allocate(&self, py: Python<'_>, what: &Bound<'_, PyAny>) -> PyResult<PyHandle> {
        let data = match what.extract::<usize>() {
            Ok(nbytes) if !what.hasattr("__array__")? => {
                let handle = py.detach(|| self.lock().allocate(nbytes)).or_raise()?;
                return Ok(PyHandle { handle, nbytes });
            }
            _ => bytes_of(what)?,
        };
        let filled = py.detach(|| {
            let mut executor = self.lock();
            let handle = executor.allocate(data.len())?;
            executor.copy_in(handle, &data).map(|()| handle)
        });
        Ok(PyHandle { handle: filled.or_raise()?, nbytes: data.len() })
    }

    /// Gives memory back.
    fn free(&self, py: Python<'_>, handle: &PyHandle) -> PyResult<()> {
        py.detach(|| self.lock().free(handle.handle)).or_raise()
    }

    /// Copies the bytes of an array or a buffer to the start of memory.
    fn copy_in(&self, py: Python<'_>, handle: &PyHandle, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = bytes_of(data)?;
        py.detach(|| self.lock().copy_in(handle.handle, &data)).or_raise()
    }

    /// The bytes at the start of memory, all unless told how many, once what was executed is done.
    #[pyo3(signature = (handle, nbytes = None))]
    fn copy_out<'py>(
        &self,
        py: Python<'py>,
        handle: &PyHandle,
        nbytes: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nbytes = nbytes.unwrap_or(handle.nbytes);
        if nbytes > handle.nbytes {
            return Err(value_error(format!(
                "copy_out: {nbytes} bytes were asked for, but the memory has {}",
                handle.nbytes
            )));
        }
        let mut out = vec![0; nbytes];
        py.detach(|| self.lock().copy_out(handle.handle, &mut out)).or_raise()?;
        Ok(PyBytes::new(py, &out))
    }

    /// Runs a program with one argument for each of its parameters: a handle, or a number.
    #[pyo3(signature = (program, launch, /, *arguments))]
    fn execute(
        &self,
        py: Python<'_>,
        program: &PyProgram,
        launch: &PyLaunch,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let params = program.program.params();
        let arguments = arguments.iter().enumerate().map(|(i, object)| {
            if let Ok(handle) = object.cast::<PyHandle>() {
                return Ok(Argument::Memory(handle.get().handle));
            }
            let value = number(&object)?.ok_or_else(|| {
                type_error("execute: arguments are handles of memory, and numbers for uniforms")
            })?;
            let ty = params.get(i).map_or(bessemer::program::Type::F32, |param| param.ty());
            Ok(Argument::Value(Literal::from_number(ty, value.number())))
        });
        let arguments = arguments.collect::<PyResult<Vec<_>>>()?;
        py.detach(|| self.lock().execute(&program.program, launch.0, &arguments)).or_raise()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Executor({})", self.device.bind(py).str()?))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProgram>()?;
    module.add_class::<PyLaunch>()?;
    module.add_class::<PyHandle>()?;
    module.add_class::<PyExecutor>()
}
