//! Memory of the GPU, and the addresses bindings may start at.

use crate::fault::caught;
use bessemer_core::{Buffer, Error, Memory, Result};
use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A buffer of wgpu, freed when dropped.
pub(crate) struct GpuMemory {
    pub(crate) buffer: wgpu::Buffer,
    bytes: usize,
    /// What counts it while it lives, if the pool does not.
    counter: Option<Arc<AtomicUsize>>,
}

impl GpuMemory {
    /// What WebGPU copies in.
    pub(crate) const WORD: u64 = 4;

    /// Memory of `gpu`, which is called `name` in errors and makes no buffer of more than `most`.
    pub(crate) fn new(
        gpu: &wgpu::Device,
        name: &str,
        most: u64,
        bytes: usize,
    ) -> Result<GpuMemory> {
        let failed = |why| Error::Failed { device: name.to_owned(), op: "alloc", why };
        if bytes as u64 > most {
            return Err(failed(format!(
                "{bytes} bytes: the adapter's buffers have at most {most}"
            )));
        }
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let size = (bytes as u64).max(1).next_multiple_of(GpuMemory::WORD);
        let descriptor =
            wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = caught(gpu, || gpu.create_buffer(&descriptor)).map_err(failed)?;
        Ok(GpuMemory { buffer, bytes, counter: None })
    }

    /// The same, counted by `counter` for as long as it lives.
    pub(crate) fn counted(mut self, counter: &Arc<AtomicUsize>) -> GpuMemory {
        counter.fetch_add(self.bytes, Ordering::Relaxed);
        self.counter = Some(Arc::clone(counter));
        self
    }

    /// The memory of a buffer of this kind of device.
    pub(crate) fn of<'b>(op: &'static str, buffer: &'b Buffer) -> Result<&'b GpuMemory> {
        buffer.memory().ok_or(Error::OtherDevice { op, buffer: buffer.id() })
    }
}

impl Memory for GpuMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn host(&self) -> Option<NonNull<u8>> {
        None
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        // Bind groups that are kept for ops would keep it alive.
        self.buffer.destroy();
        if let Some(counter) = &self.counter {
            counter.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}
