//! Memory of a Metal device as core keeps it: its own, and the host's used in place.

use crate::hal::{Buffer as _, Device as _, Hal};
use bessemer_core::{Buffer, HostMemory, Memory};
use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Memory the GPU reaches. The CPU copies in and out through the device, which knows what is in
/// flight; so nobody gets an address.
pub(crate) struct GpuMemory<H: Hal> {
    pub(crate) buffer: H::Buffer,
    /// Where the memory starts in the buffer: memory of the host's need not start at a page.
    pub(crate) start: usize,
    bytes: usize,
    _host: Option<InPlace>,
}

struct InPlace {
    _memory: HostMemory,
    bytes: usize,
    total: Arc<AtomicUsize>,
}

/// What memory must be a multiple of to be used in place, so that kernels may read whole vectors.
const ALIGNMENT: usize = 16;

impl<H: Hal> GpuMemory<H> {
    /// Memory of its own.
    pub(crate) fn new(buffer: H::Buffer) -> GpuMemory<H> {
        GpuMemory { bytes: buffer.bytes(), buffer, start: 0, _host: None }
    }

    /// Memory of the host's, in place; `None` if the device cannot.
    pub(crate) fn in_place(
        device: &H::Device,
        host: &HostMemory,
        total: &Arc<AtomicUsize>,
    ) -> Option<GpuMemory<H>> {
        let (address, bytes) = (host.bytes().as_ptr().addr(), host.bytes().len());
        let facts = device.facts();
        // With memory of its own, the GPU would fetch it from the host each time.
        if bytes == 0 || !facts.unified || !address.is_multiple_of(ALIGNMENT) {
            return None;
        }
        let start = address % facts.page;
        let whole = (start + bytes).checked_next_multiple_of(facts.page)?;
        if whole > facts.max_buffer {
            return None;
        }
        let first = host.bytes().as_ptr().wrapping_sub(start).cast_mut();
        // SAFETY: memory is mapped by whole pages, so those that hold the first and the last byte
        // are there as a whole; `_memory` keeps them, and what is read-only is never written.
        let buffer = unsafe { device.buffer_in_place(first, whole) }.ok()?;
        total.fetch_add(bytes, Ordering::Relaxed);
        let host = InPlace { _memory: host.clone(), bytes, total: Arc::clone(total) };
        Some(GpuMemory { buffer, start, bytes, _host: Some(host) })
    }

    /// The memory of a buffer of this device.
    pub(crate) fn of(buffer: &Buffer) -> &GpuMemory<H> {
        buffer.memory().expect("checked: the buffer is this device's")
    }
}

impl<H: Hal> Memory for GpuMemory<H> {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn host(&self) -> Option<NonNull<u8>> {
        None
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
