//! DLPack, both ways: other libraries read our elements and we read theirs, without a copy on the CPU.
//! The layout of its structures is that of `dlpack.h`, versions 0 and 1.

use super::{
    Out, PyArray,
    export::{Export, Order},
};
use crate::{
    device::DeviceArg,
    dtype::Row,
    errors::{OrRaise, exception, type_error, value_error},
};
use bessemer::{Array, DType, Device, DeviceKind, HostMemory, Shape, Strides, View};
use pyo3::{
    exceptions::{PyBufferError, PyTypeError},
    ffi,
    prelude::*,
    types::{IntoPyDict, PyCapsule, PyCapsuleMethods},
};
use std::{
    ffi::{CStr, c_void},
    ptr::{self, NonNull},
    slice,
    sync::Arc,
};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DLDevice {
    kind: i32,
    id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct DLDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: DLDataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct DLManagedTensor {
    tensor: DLTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

#[repr(C)]
struct DLManagedTensorVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    flags: u64,
    tensor: DLTensor,
}

const CPU: DLDevice = DLDevice { kind: 1, id: 0 };
/// Consumers must not write to the elements.
const READ_ONLY: u64 = 1;
/// The producer made a copy for the consumer.
const IS_COPIED: u64 = 2;

const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";
const NAME_VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";

/// What `dlpack.h` calls the device of an array.
fn device_of(array: &Array) -> DLDevice {
    let kind = match array.device().info().kind {
        DeviceKind::Cpu | DeviceKind::Reference => return CPU,
        DeviceKind::Metal => 8,
        DeviceKind::WebGpu => 15,
    };
    DLDevice { kind, id: 0 }
}

/// A tensor that was handed out, in both forms that consumers know.
struct Given<T> {
    managed: T,
    _export: Export,
    _shape: Box<[i64]>,
    _strides: Box<[i64]>,
}

fn describe(array: &Array, export: &Export, shape: &mut [i64], strides: &mut [i64]) -> DLTensor {
    let row = Row::of(array.dtype());
    DLTensor {
        data: export.data(),
        device: CPU,
        ndim: shape.len() as i32,
        dtype: DLDataType { code: row.dlpack, bits: (row.dtype.block_bytes() * 8) as u8, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    }
}

/// A capsule with a tensor in it, which `wrap` makes.
fn give<'py, T>(
    py: Python<'py>,
    array: &Array,
    export: Export,
    name: &'static CStr,
    wrap: impl FnOnce(DLTensor, &Export) -> T,
    context: impl FnOnce(&mut T) -> &mut *mut c_void,
) -> PyResult<Bound<'py, PyCapsule>> {
    let wide = |sizes: &[isize]| sizes.iter().map(|&size| size as i64).collect::<Box<[i64]>>();
    let (mut shape, mut strides) = (wide(&export.shape), wide(&export.strides));
    let tensor = describe(array, &export, &mut shape, &mut strides);
    let managed = wrap(tensor, &export);
    let given = Box::new(Given { managed, _export: export, _shape: shape, _strides: strides });
    let given = Box::into_raw(given);
    // SAFETY: it was just made, and nobody else has it yet.
    let first = unsafe {
        *context(&mut (*given).managed) = given.cast();
        NonNull::new_unchecked(&raw mut (*given).managed).cast()
    };
    let capsule =
        // SAFETY: the tensor lives until its deleter is called: by the consumer, or by the capsule if
        // there was none.
        unsafe { PyCapsule::new_with_pointer_and_destructor(py, first, name, Some(forgotten)) };
    if capsule.is_err() {
        // SAFETY: there is no capsule that could have freed it.
        drop(unsafe { Box::from_raw(given) });
    }
    capsule
}

unsafe extern "C" fn delete(tensor: *mut DLManagedTensor) {
    // SAFETY: consumers call it once, with what they were given.
    drop(unsafe { Box::from_raw((*tensor).context.cast::<Given<DLManagedTensor>>()) });
}

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: consumers call it once, with what they were given.
    drop(unsafe { Box::from_raw((*tensor).context.cast::<Given<DLManagedTensorVersioned>>()) });
}

/// Frees a tensor of a capsule that is gone: nobody consumed it, else it had another name.
unsafe extern "C" fn forgotten(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with the capsule that goes; the names say what is in it.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            let tensor =
                ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast::<DLManagedTensor>();
            if let Some(deleter) = (*tensor).deleter {
                deleter(tensor);
            }
        } else if ffi::PyCapsule_IsValid(capsule, NAME_VERSIONED.as_ptr()) == 1 {
            let tensor = ffi::PyCapsule_GetPointer(capsule, NAME_VERSIONED.as_ptr());
            let tensor = tensor.cast::<DLManagedTensorVersioned>();
            if let Some(deleter) = (*tensor).deleter {
                deleter(tensor);
            }
        }
    }
}

#[pymethods]
impl PyArray {
    /// The number that DLPack has for its device, and which of these it is.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let device = device_of(&self.get());
        (device.kind, device.id)
    }

    /// Its elements for another library, which must not write to them. Those of GPUs are copied, if
    /// the consumer asks for memory of the CPU.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        if stream.is_some_and(|stream| !stream.is_none()) {
            return Err(PyBufferError::new_err("dlpack: memory of the CPU has no streams"));
        }
        let array = self.get();
        let own = device_of(&array);
        let asked = dl_device.map_or(own, |(kind, id)| DLDevice { kind, id });
        if asked != CPU {
            return Err(PyBufferError::new_err(format!(
                "dlpack: memory of `{}` cannot be shared; use `to_device(\"cpu\")` first",
                array.device().info().kind
            )));
        }
        if own != CPU && copy == Some(false) {
            return Err(PyBufferError::new_err("dlpack: the array is on a GPU; it must be copied"));
        }
        let export = Export::of(py, &array, Order::Any, copy == Some(true))?;
        if max_version.is_some_and(|(major, _)| major >= 1) {
            let wrap = |tensor, export: &Export| DLManagedTensorVersioned {
                major: 1,
                minor: 0,
                context: ptr::null_mut(),
                deleter: Some(delete_versioned),
                flags: if export.copied { IS_COPIED } else { READ_ONLY },
                tensor,
            };
            return give(py, &array, export, NAME_VERSIONED, wrap, |managed| &mut managed.context);
        }
        let wrap = |tensor, _: &Export| DLManagedTensor {
            tensor,
            context: ptr::null_mut(),
            deleter: Some(delete),
        };
        give(py, &array, export, NAME, wrap, |managed| &mut managed.context)
    }
}

/// An array in the memory of another library's, through DLPack.
///
/// Nothing is copied if that memory is the CPU's and the device can use it: then what is written there
/// shows here. `copy=True` always copies, and `copy=False` never does.
///
/// >>> import bessemer as bm
/// >>> bm.from_dlpack(bm.arange(3))
/// array([0, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, *, device = None, copy = None))]
pub(crate) fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<Out> {
    let py = x.py();
    let device = device.map(|device| device.0);
    if let Ok(array) = x.cast::<PyArray>() {
        let array = super::array_like(array.as_any(), None, device.clone(), copy)?;
        return Ok(Out(match device {
            Some(device) => py.detach(|| array.to_device(&device)),
            None => array,
        }));
    }
    let shared = shared(x, None, device)?;
    if copy != Some(true) {
        return Ok(Out(shared));
    }
    let copied = shared.copied();
    super::evaluate(py, &[&copied])?;
    Ok(Out(copied))
}

/// An array in the memory of `object`.
pub(super) fn shared(
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    device: Option<Device>,
) -> PyResult<Array> {
    let py = object.py();
    let device = match device {
        Some(device) => device,
        None => DeviceArg::or_current(py, None)?,
    };
    let capsule = match object.cast::<PyCapsule>() {
        Ok(capsule) => capsule.clone(),
        Err(_) => capsule_of(object)?,
    };
    let array = take(&capsule, &device)?;
    match dtype {
        Some(dtype) if dtype != array.dtype() => Err(value_error(format!(
            "asarray: the array is {}; as {} it must be copied",
            Row::of(array.dtype()).name,
            Row::of(dtype).name
        ))),
        _ => Ok(array),
    }
}

/// Asks an object for its tensor, in the newest form that it knows.
fn capsule_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = object.py();
    if !object.hasattr("__dlpack__")? {
        return Err(type_error(format!(
            "from_dlpack: {} has no `__dlpack__`; use `bessemer.asarray`",
            object.get_type().name()?
        )));
    }
    let newest = [("max_version", (1, 0))].into_py_dict(py)?;
    let on_cpu = object.call_method0("__dlpack_device__")?.extract::<(i32, i32)>()?.0 == CPU.kind;
    if !on_cpu {
        newest.set_item("dl_device", (CPU.kind, CPU.id))?;
    }
    let capsule = match object.call_method("__dlpack__", (), Some(&newest)) {
        // Older producers know no versions.
        Err(error) if on_cpu && error.is_instance_of::<PyTypeError>(py) => {
            object.call_method0("__dlpack__")?
        }
        other => other?,
    };
    capsule
        .cast_into::<PyCapsule>()
        .map_err(|_| type_error("from_dlpack: `__dlpack__` gives no capsule"))
}

/// Bytes of a tensor, which goes when they do.
struct Taken {
    /// A capsule whose end calls the tensor's deleter. Where the interpreter is not attached, PyO3
    /// drops it later: a deleter may want the interpreter's lock, which whoever waits for a device has.
    _tensor: Py<PyCapsule>,
    start: *const u8,
    len: usize,
}

// SAFETY: it is only read, and the capsule sees to the thread on which the tensor is deleted.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

impl AsRef<[u8]> for Taken {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the producer keeps the bytes until the tensor is deleted. It may write to them: then
        // a computation gets old or new values, as every library that shares memory this way.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

/// The names of both kinds of capsules, before and after they were consumed.
fn names(capsule: &Bound<'_, PyCapsule>) -> Option<(bool, &'static CStr, &'static CStr)> {
    if capsule.is_valid_checked(Some(NAME_VERSIONED)) {
        Some((true, NAME_VERSIONED, USED_VERSIONED))
    } else if capsule.is_valid_checked(Some(NAME)) {
        Some((false, NAME, USED))
    } else {
        None
    }
}

/// Consumes a capsule.
fn take(capsule: &Bound<'_, PyCapsule>, device: &Device) -> PyResult<Array> {
    let py = capsule.py();
    let Some((versioned, name, used)) = names(capsule) else {
        return Err(value_error("from_dlpack: it is no tensor, or one that was consumed before"));
    };
    let first = capsule.pointer_checked(Some(name))?;
    // SAFETY: a capsule of this name has such a structure, which lives as long as it is not consumed.
    let tensor = unsafe {
        match versioned {
            true => {
                let managed = first.cast::<DLManagedTensorVersioned>().as_ref();
                if managed.major != 1 {
                    return Err(PyBufferError::new_err(format!(
                        "from_dlpack: the tensor is of version {} of DLPack; only 1 is supported",
                        managed.major
                    )));
                }
                managed.tensor
            }
            false => first.cast::<DLManagedTensor>().as_ref().tensor,
        }
    };
    let found = Found::of(&tensor)?;
    // Made first: once the old capsule is renamed, this one must free the tensor.
    // SAFETY: the pointer is that of a tensor, and this capsule is its only owner from here on.
    let owner = unsafe {
        let owner = PyCapsule::new_with_pointer_and_destructor(py, first, name, Some(forgotten))?;
        if ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) != 0 {
            ffi::PyCapsule_SetDestructor(owner.as_ptr(), None);
            return Err(PyErr::fetch(py));
        }
        owner
    };
    let taken = Taken { _tensor: owner.unbind(), start: found.start, len: found.len };
    let build = || {
        let buffer = device.adopt(HostMemory::new(Arc::new(taken)))?;
        let (shape, strides) = (Shape::new(&found.shape)?, Strides::new(&found.strides)?);
        let view = View::at(&buffer, found.row.dtype, shape, strides, found.offset)?;
        Array::from_view(device, &view)
    };
    let array: Result<Array, bessemer::array::Error> = build();
    match array.as_ref().ok().and_then(Array::error) {
        Some(error) => Err(exception(&error.clone().into())),
        None => array.or_raise(),
    }
}

/// A tensor whose description was checked.
struct Found {
    row: &'static Row,
    shape: Vec<usize>,
    strides: Vec<isize>,
    /// The lowest byte of an element, and how many there are from it to the highest.
    start: *const u8,
    len: usize,
    /// Where among those the first element is.
    offset: usize,
}

impl Found {
    fn of(tensor: &DLTensor) -> PyResult<Found> {
        let refuse = |why: String| Err(PyBufferError::new_err(format!("from_dlpack: {why}")));
        if tensor.device.kind != CPU.kind {
            return refuse(format!(
                "the tensor is on a device of kind {}; move it to the CPU",
                tensor.device.kind
            ));
        }
        let DLDataType { code, bits, lanes } = tensor.dtype;
        let row = if lanes == 1 { Row::of_dlpack(code, bits) } else { None };
        let Some(row) = row else {
            return refuse(format!(
                "arrays cannot hold elements of type {code} with {bits} bits in {lanes} lanes"
            ));
        };
        let most = bessemer::core::MAX_RANK;
        if !(0..=most as i32).contains(&tensor.ndim) {
            return refuse(format!(
                "it has {} dimensions, but at most {most} are supported",
                tensor.ndim
            ));
        }
        let rank = tensor.ndim as usize;
        if rank > 0 && tensor.shape.is_null() {
            return refuse("it has no shape".into());
        }
        // SAFETY: a tensor has a size for each dimension, and a stride if it has strides.
        let (sizes, given) = unsafe {
            let of = |start: *mut i64| match rank == 0 || start.is_null() {
                true => &[][..],
                false => slice::from_raw_parts(start, rank),
            };
            (of(tensor.shape), of(tensor.strides))
        };
        let shape = sizes.iter().map(|&size| usize::try_from(size)).collect::<Result<Vec<_>, _>>();
        let Ok(shape) = shape else { return refuse(format!("it has the shape {sizes:?}")) };
        let elements = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        let item = row.dtype.block_bytes();
        if elements.and_then(|n| n.checked_mul(item)).is_none_or(|n| n > isize::MAX as usize) {
            return refuse(format!("a tensor of shape {sizes:?} fits in no memory"));
        }
        let strides: Vec<isize> = match given.is_empty() {
            false => given.iter().map(|&stride| stride as isize).collect(),
            true => {
                let mut strides = vec![1isize; rank];
                for axis in (1..rank).rev() {
                    strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1) as isize);
                }
                strides
            }
        };
        if elements == Some(0) {
            let start = NonNull::<u8>::dangling().as_ptr();
            return Ok(Found { row, shape, strides: vec![0; rank], start, len: 0, offset: 0 });
        }
        // How far below and above the first element others are.
        let (mut below, mut above) = (0isize, item as isize);
        for (&size, &stride) in shape.iter().zip(&strides) {
            let reach =
                (size as isize - 1).checked_mul(stride).and_then(|n| n.checked_mul(item as isize));
            let Some(reach) = reach else {
                return refuse(format!("strides {given:?} lead out of all memory"));
            };
            let end = if reach < 0 { &mut below } else { &mut above };
            let Some(sum) = end.checked_add(reach) else {
                return refuse(format!("strides {given:?} lead out of all memory"));
            };
            *end = sum;
        }
        let first = (tensor.data.addr() as u64).checked_add(tensor.byte_offset);
        let lowest = first.and_then(|first| first.checked_add_signed(below as i64));
        let (Some(lowest), false) = (lowest, tensor.data.is_null()) else {
            return refuse("it has elements but no memory".into());
        };
        let Some(len) = above.checked_sub(below) else {
            return refuse(format!("strides {given:?} lead out of all memory"));
        };
        let start = tensor.data.cast::<u8>().with_addr(lowest as usize).cast_const();
        Ok(Found { row, shape, strides, start, len: len as usize, offset: below.unsigned_abs() })
    }
}
