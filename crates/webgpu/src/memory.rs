//! Memory of the GPU, and the addresses bindings may start at. Memory longer than the adapter's
//! largest buffer is split over several.

use crate::fault::caught;
use bessemer_core::{Buffer, Error, Memory, Result, gpu::Span};
use std::{
    ops::Range,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// How long memory may be before it lies in several buffers.
///
/// Only memory that is never written may: neighbours have `overlap` bytes in common, so that all
/// that is as short as that lies whole in one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The most bytes of a buffer.
    pub(crate) most: u64,
    /// The bytes that neighbours share.
    pub(crate) overlap: u64,
}

/// Buffers of wgpu, freed when dropped: one, mostly.
pub(crate) struct GpuMemory {
    parts: Vec<wgpu::Buffer>,
    /// How far apart they start.
    stride: u64,
    bytes: usize,
    /// What counts it while it lives, if the pool does not.
    counter: Option<Arc<AtomicUsize>>,
}

/// A range of memory as one buffer has it.
pub(crate) struct Piece<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// Where it starts there.
    pub(crate) offset: u64,
    /// Which bytes of the memory it is.
    pub(crate) range: Range<u64>,
}

impl Extent {
    /// What bindings may start at, on any adapter.
    const ALIGNMENT: u64 = 256;

    /// Buffers of at most `most` bytes, of which `binding` can be bound at once.
    pub(crate) fn new(most: u64, binding: u64) -> Extent {
        let most = most / Extent::ALIGNMENT * Extent::ALIGNMENT;
        // An eighth of a long model's memory is lost at most.
        let overlap = (most / 8).min(binding) / Extent::ALIGNMENT * Extent::ALIGNMENT;
        Extent { most, overlap }
    }

    fn stride(&self) -> u64 {
        self.most - self.overlap
    }
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
        if bytes as u64 > most {
            let why = format!("{bytes} bytes: the adapter's buffers have at most {most}");
            return Err(Error::Failed { device: name.to_owned(), op: "alloc", why });
        }
        let parts = vec![buffer(gpu, name, "alloc", bytes as u64)?];
        Ok(GpuMemory { parts, stride: u64::MAX, bytes, counter: None })
    }

    /// Memory that is filled once and never written again, however long; `counter` counts it for
    /// as long as it lives.
    pub(crate) fn read_only(
        gpu: &wgpu::Device,
        name: &str,
        extent: Extent,
        bytes: usize,
        counter: &Arc<AtomicUsize>,
    ) -> Result<GpuMemory> {
        let all = bytes as u64;
        let mut parts = Vec::new();
        let mut start = 0;
        loop {
            let len = (all - start).min(extent.most);
            parts.push(buffer(gpu, name, "adopt", len)?);
            if start + len == all {
                break;
            }
            start += extent.stride();
        }
        counter.fetch_add(bytes, Ordering::Relaxed);
        Ok(GpuMemory { parts, stride: extent.stride(), bytes, counter: Some(Arc::clone(counter)) })
    }

    /// The memory of a buffer of this kind of device.
    pub(crate) fn of<'b>(op: &'static str, buffer: &'b Buffer) -> Result<&'b GpuMemory> {
        buffer.memory().ok_or(Error::OtherDevice { op, buffer: buffer.id() })
    }

    /// A range of bytes as the one buffer has it that has all of it; `None` if it lies in several.
    pub(crate) fn whole(&self, range: Range<u64>) -> Option<Piece<'_>> {
        let piece = self.first(range.clone());
        (piece.range.end == range.end).then_some(piece)
    }

    /// A range of bytes as far as one buffer has it.
    pub(crate) fn first(&self, range: Range<u64>) -> Piece<'_> {
        let part = ((range.start / self.stride) as usize).min(self.parts.len() - 1);
        let (buffer, start) = (&self.parts[part], self.start(part));
        let end = range.end.min(start + buffer.size());
        Piece { buffer, offset: range.start - start, range: range.start..end }
    }

    /// Every byte of a range, in one buffer after another, with those they share in each of them.
    pub(crate) fn all(&self, range: Range<u64>) -> impl Iterator<Item = Piece<'_>> {
        self.parts.iter().enumerate().filter_map(move |(part, buffer)| {
            let start = self.start(part);
            let end = start + buffer.size();
            let range = range.start.max(start)..range.end.min(end);
            (range.start < range.end).then(|| Piece { buffer, offset: range.start - start, range })
        })
    }

    fn start(&self, part: usize) -> u64 {
        // The first is the only one of memory that may be written.
        if part == 0 { 0 } else { part as u64 * self.stride }
    }
}

fn buffer(gpu: &wgpu::Device, name: &str, op: &'static str, bytes: u64) -> Result<wgpu::Buffer> {
    let usage =
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let size = bytes.max(1).next_multiple_of(Span::WIDEST);
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let made = caught(gpu, || gpu.create_buffer(&descriptor));
    made.map_err(|why| Error::Failed {
        device: name.to_owned(),
        op,
        why: format!("no buffer of {size} bytes: {why}"),
    })
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
        self.parts.iter().for_each(wgpu::Buffer::destroy);
        if let Some(counter) = &self.counter {
            counter.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}
