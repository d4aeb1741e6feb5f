//! The memory of a Metal device: its own, and host memory used in place. Memory longer than the GPU's
//! largest buffer is split over several.

use crate::hal::{Buffer as _, Device as _, Fault, Hal, Result};
use bessemer_core::{Buffer, HostMemory, Memory};
use std::{
    ops::Range,
    ptr::NonNull,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Memory the GPU reaches. The CPU copies in and out through the device, which knows what is in
/// flight; so nobody gets an address.
///
/// Weights longer than a buffer lie in several side by side. A tensor that begins in one and ends in
/// the next gets a buffer of its own when it is first bound: another window on the same pages, or a
/// copy if it is the GPU's own memory.
pub(crate) struct GpuMemory<H: Hal> {
    /// One, mostly.
    parts: Vec<Arc<H::Buffer>>,
    /// How many bytes each of them has, but for the last.
    each: usize,
    /// Where the memory starts in the first: memory of the host's need not start at a page.
    start: usize,
    bytes: usize,
    /// Where parts meet, as far as it was asked for.
    windows: Mutex<Vec<Window<H>>>,
    // After what is made of it.
    host: Option<InPlace>,
}

/// A buffer with bytes of two parts or more, counted from the start of the first.
struct Window<H: Hal> {
    range: Range<usize>,
    buffer: Arc<H::Buffer>,
}

struct InPlace {
    memory: HostMemory,
    bytes: usize,
    total: Arc<AtomicUsize>,
}

/// What memory must be a multiple of to be used in place, so that kernels may read whole vectors.
const ALIGNMENT: usize = 16;

impl<H: Hal> GpuMemory<H> {
    /// Memory of its own.
    pub(crate) fn new(buffer: H::Buffer) -> GpuMemory<H> {
        let bytes = buffer.bytes();
        GpuMemory::of_parts(vec![buffer], bytes, 0, bytes, None)
    }

    fn of_parts(
        parts: Vec<H::Buffer>,
        each: usize,
        start: usize,
        bytes: usize,
        host: Option<InPlace>,
    ) -> GpuMemory<H> {
        let parts: Vec<Arc<H::Buffer>> = parts.into_iter().map(Arc::new).collect();
        for part in &parts {
            part.label(&format!("bessemer: {} of {bytes} bytes", part.bytes()));
        }
        GpuMemory { parts, each, start, bytes, windows: Mutex::default(), host }
    }

    /// Memory of the host's that is only read: in place if it is a mapped file and the GPU can, else a
    /// copy. `total` counts what is used in place.
    pub(crate) fn adopt(
        device: &H::Device,
        host: &HostMemory,
        total: &Arc<AtomicUsize>,
    ) -> Result<GpuMemory<H>> {
        if let Some(memory) = GpuMemory::in_place(device, host, total) {
            return Ok(memory);
        }
        let bytes = host.bytes();
        let each = device.facts().max_buffer / ALIGNMENT * ALIGNMENT;
        if each == 0 || bytes.len() <= each {
            return Ok(GpuMemory {
                bytes: bytes.len(),
                ..GpuMemory::new(device.buffer_of(bytes)?)
            });
        }
        let parts: Result<Vec<H::Buffer>> =
            bytes.chunks(each).map(|part| device.buffer_of(part)).collect();
        Ok(GpuMemory::of_parts(parts?, each, 0, bytes.len(), None))
    }

    /// A mapped file in place; `None` if the device cannot. Other memory of the host's is not whole
    /// pages: others may write beside it while the GPU reads, and Metal refuses what is no mapping.
    fn in_place(
        device: &H::Device,
        host: &HostMemory,
        total: &Arc<AtomicUsize>,
    ) -> Option<GpuMemory<H>> {
        host.file()?;
        let (address, bytes) = (host.bytes().as_ptr().addr(), host.bytes().len());
        let facts = device.facts();
        // With memory of its own, the GPU would fetch it from the host each time.
        if bytes == 0 || !facts.unified || !address.is_multiple_of(ALIGNMENT) {
            return None;
        }
        let start = address % facts.page;
        let whole = (start + bytes).checked_next_multiple_of(facts.page)?;
        let each = facts.max_buffer / facts.page * facts.page;
        if each == 0 {
            return None;
        }
        let mut parts = Vec::new();
        for from in (0..whole).step_by(each) {
            let pages = from..whole.min(from + each);
            parts.push(window::<H>(device, host, start, pages).ok()?);
        }
        total.fetch_add(bytes, Ordering::Relaxed);
        let host = InPlace { memory: host.clone(), bytes, total: Arc::clone(total) };
        Some(GpuMemory::of_parts(parts, each.min(whole), start, bytes, Some(host)))
    }

    /// The memory of a buffer of this device.
    pub(crate) fn of(buffer: &Buffer) -> &GpuMemory<H> {
        buffer.memory().expect("checked: the buffer is this device's")
    }

    /// A buffer that has all bytes of a range, which is within the memory, and where they start in it.
    pub(crate) fn whole(
        &self,
        device: &H::Device,
        range: Range<usize>,
    ) -> Result<(Arc<H::Buffer>, usize)> {
        let range = self.start + range.start..self.start + range.end;
        let part = (range.start / self.each.max(1)).min(self.parts.len() - 1);
        let first = part * self.each;
        if part + 1 == self.parts.len() || range.end <= first + self.each {
            return Ok((Arc::clone(&self.parts[part]), range.start - first));
        }
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let known = windows
            .iter()
            .find(|window| window.range.start <= range.start && range.end <= window.range.end);
        if let Some(window) = known {
            return Ok((Arc::clone(&window.buffer), range.start - window.range.start));
        }
        let (bytes, most) = (range.len(), device.facts().max_buffer);
        let too_long = || {
            let why =
                format!("{bytes} bytes are to be bound at once, and this GPU's buffers have ");
            let hint = "quantise the model to fewer bits, or use another device";
            Fault::new(format!("{why}{most} at most: {hint}"))
        };
        let (range, buffer, offset) = match &self.host {
            Some(host) => {
                let page = device.facts().page;
                let pages = range.start / page * page..range.end.next_multiple_of(page);
                if pages.len() > most {
                    return Err(too_long());
                }
                let buffer = window::<H>(device, &host.memory, self.start, pages.clone())?;
                let offset = range.start - pages.start;
                (pages, buffer, offset)
            }
            None if bytes > most => return Err(too_long()),
            None => {
                let mut copy = vec![0; bytes];
                self.read(range.start..range.end, &mut copy)?;
                (range, device.buffer_of(&copy)?, 0)
            }
        };
        buffer.label(&format!("bessemer: {bytes} bytes across buffers"));
        let buffer = Arc::new(buffer);
        windows.push(Window { range, buffer: Arc::clone(&buffer) });
        Ok((buffer, offset))
    }

    /// Copies bytes in, which the memory has room for. It is one buffer: what is longer is only read.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.parts[0].write(self.start + offset, bytes)
    }

    /// Copies bytes of the memory out.
    pub(crate) fn read(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        let (mut at, end) = (self.start + range.start, self.start + range.end);
        let mut out = out;
        let last = self.parts.len() - 1;
        while at < end {
            let part = (at / self.each).min(last);
            let first = part * self.each;
            let stop = if part == last { end } else { end.min(first + self.each) };
            let (now, later) = out.split_at_mut(stop - at);
            self.parts[part].read(at - first, now)?;
            (at, out) = (stop, later);
        }
        Ok(())
    }
}

/// Pages of a mapping as a buffer, counted from the page in which `host` starts at byte `start`.
fn window<H: Hal>(
    device: &H::Device,
    host: &HostMemory,
    start: usize,
    pages: Range<usize>,
) -> Result<H::Buffer> {
    let first = host.bytes().as_ptr().wrapping_sub(start).wrapping_add(pages.start).cast_mut();
    // SAFETY: files are mapped by whole pages, so those that hold the first and the last byte are
    // there as a whole; who made it of `host` keeps that, and what is read-only is never written.
    unsafe { device.buffer_in_place(first, pages.len()) }
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
