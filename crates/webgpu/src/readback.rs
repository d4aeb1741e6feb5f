//! Copies from the GPU to the host.

use std::sync::mpsc;

/// Memory that both sides can reach, kept for the next time.
pub(crate) struct Readback {
    staging: Option<wgpu::Buffer>,
}

/// More than that is copied in pieces.
const MOST: u64 = 16 << 20;

impl Readback {
    pub(crate) fn new() -> Readback {
        Readback { staging: None }
    }

    /// The bytes of `buffer` from `start` on, after all that was submitted before.
    pub(crate) fn read(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        buffer: &wgpu::Buffer,
        start: usize,
        out: &mut [u8],
    ) -> Result<(), String> {
        let mut start = start as u64;
        for out in out.chunks_mut(MOST as usize) {
            // Whole words around what was asked for.
            let first = start / 4 * 4;
            let last = (start + out.len() as u64).next_multiple_of(4).min(buffer.size());
            let staging = self.staging(gpu, last - first);
            let mut encoder = gpu.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, first, &staging, 0, last - first);
            queue.submit([encoder.finish()]);
            let slice = staging.slice(..last - first);
            let (sender, receiver) = mpsc::channel();
            slice.map_async(wgpu::MapMode::Read, move |result| {
                // Nobody listens any more only if this function has failed already.
                let _ = sender.send(result);
            });
            gpu.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
            let mapped = receiver.recv().map_err(|e| e.to_string())?;
            mapped.map_err(|e| e.to_string())?;
            let skipped = (start - first) as usize;
            let view = slice.get_mapped_range().map_err(|e| e.to_string())?;
            out.copy_from_slice(&view[skipped..skipped + out.len()]);
            drop(view);
            staging.unmap();
            start += out.len() as u64;
        }
        Ok(())
    }

    fn staging(&mut self, gpu: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
        if let Some(staging) = self.staging.as_ref().filter(|staging| staging.size() >= bytes) {
            return staging.clone();
        }
        let staging = gpu.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.next_power_of_two().max(64 << 10),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.staging = Some(staging.clone());
        staging
    }
}
