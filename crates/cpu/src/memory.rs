//! Memory of the host, aligned for vectors and pages.

use bessemer_core::{Error, Memory, Result};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
};

/// Zeroed memory that is freed when dropped.
pub(crate) struct HostBytes {
    first: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its memory; who may write to it is for the device that holds it to say.
unsafe impl Send for HostBytes {}
// SAFETY: as above.
unsafe impl Sync for HostBytes {}

/// A cache line: what every vector load could want.
const SMALL_ALIGNMENT: usize = 64;
/// A page, from which on memory comes from the system in pages anyway.
const PAGE: usize = 4096;

impl HostBytes {
    pub(crate) fn new(device: &str, bytes: usize) -> Result<HostBytes> {
        let alignment = if bytes < PAGE { SMALL_ALIGNMENT } else { PAGE };
        let out_of_memory = || Error::Failed {
            device: device.to_owned(),
            op: "alloc",
            why: format!("the system has no {bytes} bytes of memory left"),
        };
        let layout =
            Layout::from_size_align(bytes.max(1), alignment).map_err(|_| out_of_memory())?;
        // SAFETY: the layout is of at least one byte.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(HostBytes { first, layout })
    }
}

impl Memory for HostBytes {
    fn bytes(&self) -> usize {
        self.layout.size()
    }

    fn host(&self) -> Option<NonNull<u8>> {
        Some(self.first)
    }
}

impl Drop for HostBytes {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.first.as_ptr(), self.layout) };
    }
}
