//! Devices as Python objects, and the one that new arrays are made on.

use crate::errors::{OrRaise, type_error};
use bessemer::{Device, DeviceOptions, core};
use pyo3::{
    prelude::*,
    sync::PyOnceLock,
    types::{IntoPyDict, PyString},
};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

/// A device to compute on.
///
/// `with` makes it the device of all arrays that are created meanwhile, in this thread or task:
///
/// >>> import bessemer as bm
/// >>> with bm.device("cpu"):
/// ...     x = bm.ones(3)
/// >>> x.device
/// bessemer.device('cpu')
#[pyclass(name = "Device", module = "bessemer", frozen)]
pub(crate) struct PyDevice {
    pub(crate) device: Device,
    /// What to put back when a `with` ends: they nest.
    tokens: Mutex<Vec<Py<PyAny>>>,
}

impl PyDevice {
    fn new(device: Device) -> PyDevice {
        PyDevice { device, tokens: Mutex::default() }
    }
}

#[pymethods]
impl PyDevice {
    /// What kind it is: `cpu`, `reference`, `metal` or `webgpu`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.device.info().kind.name()
    }

    /// The name of the hardware.
    #[getter]
    fn name(&self) -> &str {
        &self.device.info().name
    }

    /// Instruction sets, GPU families and the like, for people to read.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.device.info().features.clone()
    }

    /// The threads or compute units it runs on.
    #[getter]
    fn threads(&self) -> usize {
        self.device.info().threads
    }

    /// The most bytes its arrays may take in all.
    #[getter]
    fn memory_limit(&self) -> usize {
        self.device.info().memory_limit
    }

    /// The bytes that its arrays take now.
    #[getter]
    fn memory_used(&self) -> usize {
        let stats = self.device.stats();
        stats.pool.live_bytes + stats.adopted_bytes
    }

    /// Why better devices were passed over when `auto` chose this one.
    #[getter]
    fn passed_over(&self) -> Vec<String> {
        self.device.passed_over().iter().map(ToString::to_string).collect()
    }

    /// Gives memory that no array uses back to the system.
    fn trim(&self, py: Python<'_>) {
        py.detach(|| self.device.trim());
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let token = current_variable(slf.py())?.call_method1("set", (slf,))?;
        let mut tokens = slf.get().tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.push(token.unbind());
        drop(tokens);
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        let token = slf.get().tokens.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(token) = token {
            current_variable(slf.py())?.call_method1("reset", (token,))?;
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("bessemer.device('{}')", self.kind())
    }

    fn __str__(&self) -> &'static str {
        self.kind()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(other) = other.cast::<PyDevice>() {
            return other.get().device.info().id == self.device.info().id;
        }
        other
            .cast::<PyString>()
            .is_ok_and(|name| name.to_str().is_ok_and(|name| name == self.kind()))
    }

    fn __hash__(&self) -> u64 {
        self.device.info().kind as u64
    }
}

/// Opens a device: `"auto"`, `"cpu"`, `"metal"`, `"webgpu"` or `"reference"`.
///
/// The same name gives the same device, unless it has options: then it is a new one, and arrays of the
/// two do not mix. `threads` is for the CPU, `memory_limit` is the most bytes that all arrays may take.
///
/// >>> import bessemer as bm
/// >>> bm.device("cpu").kind
/// 'cpu'
/// >>> bm.device("tpu")
/// Traceback (most recent call last):
/// ...
/// RuntimeError: device tpu: choose one of auto, cpu, reference, metal, webgpu
#[pyfunction]
#[pyo3(name = "device", signature = (name = "auto", /, *, threads = None, memory_limit = None))]
fn open_device<'py>(
    py: Python<'py>,
    name: &str,
    threads: Option<usize>,
    memory_limit: Option<usize>,
) -> PyResult<Bound<'py, PyDevice>> {
    if threads.is_some() || memory_limit.is_some() {
        let options = DeviceOptions { threads, memory_limit, ..DeviceOptions::default() };
        let device = py.detach(|| Device::open_with(name, &options)).or_raise()?;
        return Bound::new(py, PyDevice::new(device));
    }
    shared(py, name)
}

/// The device that arrays are created on now.
///
/// >>> import bessemer as bm
/// >>> with bm.device("cpu"):
/// ...     bm.default_device()
/// bessemer.device('cpu')
#[pyfunction]
fn default_device(py: Python<'_>) -> PyResult<Bound<'_, PyDevice>> {
    let current = current_variable(py)?.call_method0("get")?;
    if current.is_none() { shared(py, "auto") } else { Ok(current.cast_into::<PyDevice>()?) }
}

/// The devices of this machine that arrays can be on.
#[pyfunction]
fn _devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDevice>>> {
    let survey = py.detach(|| Device::survey(&DeviceOptions::default()));
    let usable = survey.findings.iter().filter(|finding| finding.refusal.is_none());
    usable.map(|finding| shared(py, finding.kind.name())).collect()
}

/// The devices that were opened by name, each under all its names.
static OPEN: LazyLock<Mutex<HashMap<String, Py<PyDevice>>>> = LazyLock::new(Mutex::default);

/// The one device of a name.
pub(crate) fn shared<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDevice>> {
    let known = |name: &str| {
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(name).map(|device| device.clone_ref(py))
    };
    if let Some(device) = known(name) {
        return Ok(device.into_bound(py));
    }
    let device = py.detach(|| Device::open(name)).or_raise()?;
    let kind = device.info().kind.name();
    let object = Py::new(py, PyDevice::new(device))?;
    // `auto` is one of the others, and must be the same device as under its own name.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let object = open.entry(kind.to_owned()).or_insert(object).clone_ref(py);
    open.insert(name.to_owned(), object.clone_ref(py));
    Ok(object.into_bound(py))
}

/// The context variable with the device of `with`.
fn current_variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static VARIABLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let variable = VARIABLE.get_or_try_init(py, || {
        let class = py.import("_contextvars")?.getattr("ContextVar")?;
        let default = [("default", py.None())].into_py_dict(py)?;
        PyResult::Ok(class.call(("bessemer_device",), Some(&default))?.unbind())
    })?;
    Ok(variable.bind(py))
}

/// The object for the device of an array.
pub(crate) fn object<'py>(
    py: Python<'py>,
    device: &Arc<dyn core::Device>,
) -> PyResult<Bound<'py, PyDevice>> {
    let id = device.info().id;
    let is_it = |object: &Py<PyDevice>| object.get().device.info().id == id;
    let known = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.values().find(|object| is_it(object)).map(|object| object.clone_ref(py));
    drop(known);
    match found {
        Some(object) => Ok(object.into_bound(py)),
        None => Bound::new(py, PyDevice::new(Device::from(Arc::clone(device)))),
    }
}

/// A device as an argument: an object, a name, or `None` for the current one.
pub(crate) struct DeviceArg(pub(crate) Device);

impl DeviceArg {
    /// The device that was asked for, or the current one.
    pub(crate) fn or_current(py: Python<'_>, asked: Option<DeviceArg>) -> PyResult<Device> {
        match asked {
            Some(DeviceArg(device)) => Ok(device),
            None => Ok(default_device(py)?.get().device.clone()),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for DeviceArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(device) = object.cast::<PyDevice>() {
            return Ok(DeviceArg(device.get().device.clone()));
        }
        let name = object.cast::<PyString>().map_err(|_| {
            type_error("device: it must be the name of a device or an object of `bessemer.device`")
        })?;
        Ok(DeviceArg(shared(object.py(), name.to_str()?)?.get().device.clone()))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDevice>()?;
    module.add_function(wrap_pyfunction!(open_device, module)?)?;
    module.add_function(wrap_pyfunction!(_devices, module)?)?;
    module.add_function(wrap_pyfunction!(default_device, module)?)
}
