//! Memory of arrays that somebody else holds: what the buffer protocol and DLPack hand out.

use crate::{
    array::read::{bytes_of, gapless, view_of},
    errors::OrRaise,
};
use bessemer::{Array, View};
use pyo3::prelude::*;
use std::{ffi::c_void, ptr};

/// Elements in memory that the CPU can read, for as long as this lives.
pub(super) struct Export {
    _memory: Memory,
    data: *mut c_void,
    pub(super) shape: Vec<isize>,
    /// In elements.
    pub(super) strides: Vec<isize>,
    /// Whether it is a copy, which nobody else reads.
    pub(super) copied: bool,
}

/// What keeps the bytes.
enum Memory {
    Own { _bytes: Vec<u8> },
    Device { _view: View },
}

// SAFETY: nobody writes to the memory, and it may be freed on any thread.
unsafe impl Send for Export {}
// SAFETY: as above.
unsafe impl Sync for Export {}

/// How the elements have to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Any,
    RowMajor,
}

impl Export {
    /// The elements where they are, if the CPU can reach them there and they lie as they have to; else
    /// a copy of them.
    pub(super) fn of(py: Python<'_>, array: &Array, order: Order, copy: bool) -> PyResult<Export> {
        if copy || !array.device().info().capabilities.host_memory {
            return Ok(Export::copy_of(array, bytes_of(py, array)?));
        }
        let view = match order {
            Order::Any => view_of(py, array)?,
            Order::RowMajor => py.detach(|| gapless(array)).or_raise()?,
        };
        let Some(start) = view.buffer().host() else {
            return Ok(Export::copy_of(array, bytes_of(py, array)?));
        };
        // SAFETY: a view lies within its buffer.
        let data = unsafe { start.as_ptr().add(view.offset()) };
        Ok(Export {
            data: data.cast(),
            shape: sizes(view.shape()),
            strides: view.strides().to_vec(),
            copied: false,
            _memory: Memory::Device { _view: view },
        })
    }

    fn copy_of(array: &Array, mut bytes: Vec<u8>) -> Export {
        let shape = sizes(array.dims());
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis].max(1);
        }
        let data = bytes.as_mut_ptr().cast();
        Export { data, shape, strides, copied: true, _memory: Memory::Own { _bytes: bytes } }
    }

    /// Where the first element is; nowhere if there is none.
    pub(super) fn data(&self) -> *mut c_void {
        if self.shape.contains(&0) { ptr::null_mut() } else { self.data }
    }
}

fn sizes(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|&size| size as isize).collect()
}
