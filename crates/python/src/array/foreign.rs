//! Buffers of other objects, as the buffer protocol describes them. PyO3's own type refuses those of
//! rank 0, which have no shape.

use crate::errors::type_error;
use pyo3::{ffi, prelude::*};
use std::{ffi::CStr, mem::MaybeUninit, slice};

/// A buffer that is held, for as long as the interpreter is attached.
pub(super) struct Foreign<'py> {
    view: ffi::Py_buffer,
    _attached: Python<'py>,
}

impl<'py> Foreign<'py> {
    /// Whether an object has a buffer at all.
    pub(super) fn exists(object: &Bound<'_, PyAny>) -> bool {
        // SAFETY: it only looks at the object's type.
        unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
    }

    /// The buffer of an object, with its strides.
    pub(super) fn of(object: &Bound<'py, PyAny>) -> PyResult<Foreign<'py>> {
        let mut view = MaybeUninit::<ffi::Py_buffer>::zeroed();
        // SAFETY: there is room for the description, which is complete if the call succeeds.
        let view = unsafe {
            if ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), ffi::PyBUF_FULL_RO) != 0
            {
                return Err(PyErr::fetch(object.py()));
            }
            view.assume_init()
        };
        let foreign = Foreign { view, _attached: object.py() };
        if foreign.view.ndim > 0 && (foreign.view.shape.is_null() || foreign.view.strides.is_null())
        {
            return Err(type_error("array: the buffer has no shape or no strides"));
        }
        if !foreign.view.suboffsets.is_null() {
            return Err(type_error(
                "array: buffers with suboffsets are not supported; copy it first",
            ));
        }
        Ok(foreign)
    }

    fn rank(&self) -> usize {
        self.view.ndim.max(0) as usize
    }

    /// The bytes of an element.
    pub(super) fn item_bytes(&self) -> usize {
        self.view.itemsize.max(0) as usize
    }

    /// What its elements are.
    pub(super) fn format(&self) -> &CStr {
        if self.view.format.is_null() {
            return c"B";
        }
        // SAFETY: a format ends with a zero byte, and lives as long as the buffer is held.
        unsafe { CStr::from_ptr(self.view.format) }
    }

    /// The size of each dimension.
    pub(super) fn shape(&self) -> Vec<usize> {
        if self.rank() == 0 {
            return Vec::new();
        }
        // SAFETY: there is a size for each dimension.
        let shape = unsafe { slice::from_raw_parts(self.view.shape, self.rank()) };
        shape.iter().map(|&size| size.max(0) as usize).collect()
    }

    fn strides(&self) -> &[isize] {
        if self.rank() == 0 {
            return &[];
        }
        // SAFETY: there is a stride for each dimension.
        unsafe { slice::from_raw_parts(self.view.strides, self.rank()) }
    }

    /// Its elements in row-major order where they are, if they lie so.
    pub(super) fn contiguous(&self) -> Option<&[u8]> {
        // SAFETY: the description is that of a buffer which is held.
        let gapless = unsafe { ffi::PyBuffer_IsContiguous(&raw const self.view, b'C' as _) } == 1;
        // SAFETY: such a buffer has `len` bytes there. Python lets other threads write to them
        // meanwhile; then the elements are some mix of old and new ones, as in any copy.
        gapless.then(|| unsafe { bytes_at(self.view.buf.cast(), self.view.len.max(0) as usize) })
    }

    /// Its elements in row-major order, copied.
    pub(super) fn copied(&self) -> Vec<u8> {
        if let Some(bytes) = self.contiguous() {
            return bytes.to_vec();
        }
        let (shape, strides) = (self.shape(), self.strides());
        let mut bytes = Vec::with_capacity(self.view.len.max(0) as usize);
        if shape.contains(&0) {
            return bytes;
        }
        let mut index = vec![0usize; shape.len()];
        loop {
            let offset: isize =
                index.iter().zip(strides).map(|(&i, &step)| i as isize * step).sum();
            // SAFETY: the buffer has an element at each index within its shape.
            bytes.extend_from_slice(unsafe {
                bytes_at(self.view.buf.cast::<u8>().offset(offset), self.item_bytes())
            });
            let last = (0..shape.len()).rev().find(|&axis| index[axis] + 1 < shape[axis]);
            let Some(axis) = last else { return bytes };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }
}

impl Drop for Foreign<'_> {
    fn drop(&mut self) {
        // SAFETY: it is held, the interpreter is attached, and this is the only release.
        unsafe { ffi::PyBuffer_Release(&raw mut self.view) };
    }
}

/// # Safety
/// There must be that many initialised bytes for as long as the slice is used.
unsafe fn bytes_at<'a>(start: *const u8, len: usize) -> &'a [u8] {
    if len == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { slice::from_raw_parts(start, len) }
}
