//! Copies from the GPU to the host. A copy is started under the device's lock and waited for
//! without it: others submit meanwhile.

use crate::memory::GpuMemory;
use std::{ops::Range, sync::mpsc};

/// Memory that both sides can reach, kept for the next time.
pub(crate) struct Readback {
    idle: Vec<wgpu::Buffer>,
    /// The most bytes of a piece.
    most: u64,
}

/// A copy on its way.
pub(crate) struct Copying {
    staging: wgpu::Buffer,
    index: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    /// Where in the staging memory the bytes that were asked for lie.
    bytes: Range<usize>,
}

/// More than that is copied in pieces.
const MOST: u64 = 16 << 20;
/// As much is taken at least.
const LEAST: u64 = 64 << 10;
/// Pieces that are kept: one is copied while the one before is read.
const IDLE: usize = 2;

impl Readback {
    /// For a device whose buffers have at most `most` bytes.
    pub(crate) fn new(most: u64) -> Readback {
        let most = MOST.min(most / GpuMemory::WORD * GpuMemory::WORD);
        Readback { idle: Vec::new(), most }
    }

    /// Starts to copy the first of some bytes of `memory`, after all that was submitted before.
    pub(crate) fn start(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        memory: &GpuMemory,
        range: Range<u64>,
    ) -> Result<Copying, String> {
        // Whole words around what was asked for.
        let first = range.start / GpuMemory::WORD * GpuMemory::WORD;
        let end = range.end.min(first + self.most);
        let piece = memory.first(first..end);
        let end = piece.range.end;
        let size = end.next_multiple_of(GpuMemory::WORD) - first;
        self.copy(gpu, queue, piece.buffer, piece.offset, size, range.start - first..end - first)
    }

    /// Starts to copy `size` bytes of a buffer, of which `wanted` are asked for.
    pub(crate) fn copy(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        buffer: &wgpu::Buffer,
        offset: u64,
        size: u64,
        wanted: Range<u64>,
    ) -> Result<Copying, String> {
        let staging = self.staging(gpu, size)?;
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, size);
        let index = queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        staging.slice(..size).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more only if reading has failed already.
            let _ = sender.send(result);
        });
        Ok(Copying { staging, index, mapped, bytes: wanted.start as usize..wanted.end as usize })
    }

    /// Keeps the memory of a copy that was read.
    pub(crate) fn keep(&mut self, staging: wgpu::Buffer) {
        if self.idle.len() < IDLE {
            self.idle.push(staging);
        }
    }

    fn staging(&mut self, gpu: &wgpu::Device, bytes: u64) -> Result<wgpu::Buffer, String> {
        if let Some(place) = self.idle.iter().position(|staging| staging.size() >= bytes) {
            return Ok(self.idle.swap_remove(place));
        }
        self.idle.clear();
        let descriptor = wgpu::BufferDescriptor {
            label: Some("readback"),
            size: bytes.next_power_of_two().max(LEAST).min(self.most.max(bytes)),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        crate::fault::caught(gpu, || gpu.create_buffer(&descriptor))
    }
}

impl Copying {
    /// How many bytes it brings.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Waits for it and gives its bytes to `out`, which is as long; the memory can be kept.
    pub(crate) fn finish(self, gpu: &wgpu::Device, out: &mut [u8]) -> Result<wgpu::Buffer, String> {
        let until = wgpu::PollType::Wait { submission_index: Some(self.index), timeout: None };
        gpu.poll(until).map_err(|e| e.to_string())?;
        self.mapped.recv().map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        let end = (self.bytes.end as u64).next_multiple_of(GpuMemory::WORD);
        let view = self.staging.get_mapped_range(..end).map_err(|e| e.to_string())?;
        out.copy_from_slice(&view[self.bytes]);
        drop(view);
        self.staging.unmap();
        Ok(self.staging)
    }
}
