//! Copies from the GPU to the host. A copy is started under the device's lock and waited for
//! without it, so that other threads can submit meanwhile.

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

/// A copy among the commands of an encoder.
pub(crate) struct Planned {
    staging: wgpu::Buffer,
    size: u64,
    bytes: Range<usize>,
}

/// More than that is copied in pieces.
const MOST: u64 = 16 << 20;
/// As much is taken at least.
const LEAST: u64 = 64 << 10;
/// Pieces that are kept: what is read again and again, twice.
const IDLE: usize = 8;

impl Readback {
    /// For a device whose buffers have at most `most` bytes.
    pub(crate) fn new(most: u64) -> Readback {
        let most = MOST.min(most / GpuMemory::WORD * GpuMemory::WORD);
        Readback { idle: Vec::new(), most }
    }

    /// As many bytes are copied in one piece, wherever they start.
    pub(crate) fn at_once(&self) -> usize {
        (self.most - GpuMemory::WORD) as usize
    }

    /// Starts to copy the first of some bytes of `memory`, after all that was submitted before.
    pub(crate) fn start(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        memory: &GpuMemory,
        range: Range<u64>,
    ) -> Result<Copying, String> {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        let planned = self.plan(gpu, &mut encoder, memory, range)?;
        Ok(planned.submitted(queue.submit([encoder.finish()])))
    }

    /// The same, with other commands.
    pub(crate) fn plan(
        &mut self,
        gpu: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        memory: &GpuMemory,
        range: Range<u64>,
    ) -> Result<Planned, String> {
        // Whole words around what was asked for.
        let first = range.start / GpuMemory::WORD * GpuMemory::WORD;
        let piece = memory.first(first..range.end.min(first + self.most));
        let size = (piece.range.end - first).next_multiple_of(GpuMemory::WORD);
        let staging = self.staging(gpu, size)?;
        encoder.copy_buffer_to_buffer(piece.buffer, piece.offset, &staging, 0, size);
        let bytes = (range.start - first) as usize..(piece.range.end - first) as usize;
        Ok(Planned { staging, size, bytes })
    }

    /// A whole buffer.
    pub(crate) fn all(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        buffer: &wgpu::Buffer,
        out: &mut [u8],
    ) -> Result<(), String> {
        let size = out.len() as u64;
        let staging = self.staging(gpu, size)?;
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        let planned = Planned { staging, size, bytes: 0..out.len() };
        let staging = planned.submitted(queue.submit([encoder.finish()])).finish(gpu, out)?;
        self.keep(staging);
        Ok(())
    }

    /// Nobody wants a copy any more.
    pub(crate) fn drop(&mut self, copying: Copying) {
        copying.staging.unmap();
        self.keep(copying.staging);
    }

    /// Keeps the memory of a copy that was read.
    pub(crate) fn keep(&mut self, staging: wgpu::Buffer) {
        if self.idle.len() == IDLE {
            // The largest goes: it takes the most and fits the least often.
            let largest = (0..IDLE).max_by_key(|&place| self.idle[place].size());
            largest.map(|place| self.idle.swap_remove(place));
        }
        self.idle.push(staging);
    }

    fn staging(&mut self, gpu: &wgpu::Device, bytes: u64) -> Result<wgpu::Buffer, String> {
        let fits = |staging: &&wgpu::Buffer| staging.size() >= bytes;
        let smallest = self.idle.iter().filter(fits).map(wgpu::Buffer::size).min();
        if let Some(place) = self.idle.iter().position(|one| Some(one.size()) == smallest) {
            return Ok(self.idle.swap_remove(place));
        }
        let descriptor = wgpu::BufferDescriptor {
            label: Some("readback"),
            size: bytes.next_power_of_two().max(LEAST).min(self.most.max(bytes)),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        crate::fault::caught(gpu, || gpu.create_buffer(&descriptor))
    }
}

impl Planned {
    /// The commands are submitted.
    pub(crate) fn submitted(self, index: wgpu::SubmissionIndex) -> Copying {
        let Planned { staging, size, bytes } = self;
        let (sender, mapped) = mpsc::channel();
        staging.slice(..size).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more only if nobody wants it.
            let _ = sender.send(result);
        });
        Copying { staging, index, mapped, bytes }
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
