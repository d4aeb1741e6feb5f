//! The buffer protocol: `memoryview(x)`, `numpy.asarray(x)`, with no copy where the CPU can reach the
//! elements. What is handed out is read-only: arrays do not change.

use super::{
    PyArray,
    export::{Export, Order},
};
use crate::dtype::Row;
use pyo3::{exceptions::PyBufferError, ffi, prelude::*};
use std::{ffi::c_int, ptr};

/// What a consumer of a buffer holds.
struct Held {
    export: Export,
    /// In bytes.
    strides: Vec<isize>,
}

#[pymethods]
impl PyArray {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("buffer: there is nowhere to describe it"));
        }
        // SAFETY: the protocol hands out a place for the description.
        let view = unsafe { &mut *view };
        view.obj = ptr::null_mut();
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err(
                "buffer: arrays do not change, so their memory is read-only; copy it with `numpy.array`",
            ));
        }
        let array = slf.get().get();
        let row = Row::of(array.dtype());
        let Some(format) = row.format else {
            return Err(PyBufferError::new_err(format!(
                "buffer: the buffer protocol has no {}; use DLPack, or `numpy.asarray` with ml_dtypes",
                row.name
            )));
        };
        let asks = |what: c_int| flags & what == what;
        let contiguous = !asks(ffi::PyBUF_STRIDES) || asks(ffi::PyBUF_C_CONTIGUOUS);
        let order = if contiguous { Order::RowMajor } else { Order::Any };
        let export = Export::of(slf.py(), &array, order, false)?;
        let bytes = row.dtype.block_bytes() as isize;
        let strides = export.strides.iter().map(|stride| stride * bytes).collect();
        let mut held = Box::new(Held { export, strides });
        if asks(ffi::PyBUF_F_CONTIGUOUS) && !contiguous && !column_major(&held.export) {
            return Err(PyBufferError::new_err("buffer: the array is not in column-major order"));
        }
        // The consumer gets an address even if there is nothing there.
        static NOTHING: u64 = 0;
        let data = held.export.data();
        view.buf = if data.is_null() { ptr::from_ref(&NOTHING).cast_mut().cast() } else { data };
        view.len = array.elements() as isize * bytes;
        view.readonly = 1;
        view.itemsize = bytes;
        view.format =
            if asks(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() };
        view.ndim = held.export.shape.len() as c_int;
        view.shape =
            if asks(ffi::PyBUF_ND) { held.export.shape.as_mut_ptr() } else { ptr::null_mut() };
        view.strides =
            if asks(ffi::PyBUF_STRIDES) { held.strides.as_mut_ptr() } else { ptr::null_mut() };
        view.suboffsets = ptr::null_mut();
        view.internal = Box::into_raw(held).cast();
        view.obj = slf.into_any().into_ptr();
        Ok(())
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `__getbuffer__` put it there, and a buffer is released once.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Held>()) });
    }
}

fn column_major(export: &Export) -> bool {
    let mut expected = 1;
    export.shape.iter().zip(&export.strides).all(|(&size, &stride)| {
        let fits = size == 1 || stride == expected;
        expected *= size;
        fits
    })
}
