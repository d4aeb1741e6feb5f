//! Copies from the host to the GPU: a ring of memory that both sides can reach, so that the host
//! fills one piece while the GPU takes another, and no driver holds all of a model twice.

use crate::memory::GpuMemory;
use std::{collections::VecDeque, sync::mpsc};

/// The ring.
pub(crate) struct Uploads {
    /// Pieces on their way, oldest first.
    sent: VecDeque<Sent>,
    /// Bytes of a piece.
    piece: usize,
}

/// A piece that the GPU takes, and that can be filled again after that.
struct Sent {
    staging: wgpu::Buffer,
    index: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

/// Bytes of a piece, unless buffers are shorter.
const PIECE: u64 = 8 << 20;
/// Pieces of the ring.
const PIECES: usize = 3;
/// So few bytes go with the next submission, in memory of the queue's own.
const FEW: usize = 64 << 10;

impl Uploads {
    /// A ring on a device whose buffers have at most `most` bytes.
    pub(crate) fn new(most: u64) -> Uploads {
        let piece = PIECE.min(most / GpuMemory::WORD * GpuMemory::WORD);
        Uploads { sent: VecDeque::new(), piece: piece as usize }
    }

    /// Copies `bytes` to `offset` of `buffer`, after all that was submitted before. A last word
    /// that is not whole is filled with zeros.
    pub(crate) fn send(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        if bytes.len() <= FEW {
            let (words, rest) = bytes.as_chunks::<4>();
            queue.write_buffer(buffer, offset, words.as_flattened());
            if !rest.is_empty() {
                let at = offset + size_of_val(words) as u64;
                queue.write_buffer(buffer, at, &whole(rest));
            }
            return Ok(());
        }
        let mut at = offset;
        for piece in bytes.chunks(self.piece) {
            self.send_piece(gpu, queue, buffer, at, piece)?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    fn send_piece(
        &mut self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let staging = self.free(gpu)?;
        let (words, rest) = bytes.as_chunks::<4>();
        let end = size_of_val(words);
        let size = (bytes.len() as u64).next_multiple_of(4);
        let mut view = staging.get_mapped_range_mut(..size).map_err(|e| e.to_string())?;
        view.slice(..end).copy_from_slice(words.as_flattened());
        if !rest.is_empty() {
            view.slice(end..).copy_from_slice(&whole(rest));
        }
        drop(view);
        staging.unmap();
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&staging, 0, buffer, offset, size);
        let index = queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        staging.slice(..).map_async(wgpu::MapMode::Write, move |result| {
            // Nobody listens any more only if the ring is gone.
            let _ = sender.send(result);
        });
        self.sent.push_back(Sent { staging, index, mapped });
        Ok(())
    }

    /// A piece to fill: a new one, or the oldest, once the GPU has taken it.
    fn free(&mut self, gpu: &wgpu::Device) -> Result<wgpu::Buffer, String> {
        if self.sent.len() < PIECES {
            let descriptor = wgpu::BufferDescriptor {
                label: Some("uploads"),
                size: self.piece as u64,
                usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            };
            return crate::fault::caught(gpu, || gpu.create_buffer(&descriptor));
        }
        let Some(Sent { staging, index, mapped }) = self.sent.pop_front() else {
            return Err("the ring of uploads is empty".to_owned());
        };
        let until = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        gpu.poll(until).map_err(|e| e.to_string())?;
        mapped.recv().map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        Ok(staging)
    }
}

/// A word that starts with `rest` and ends in zeros.
fn whole(rest: &[u8]) -> [u8; 4] {
    let mut word = [0; 4];
    word[..rest.len()].copy_from_slice(rest);
    word
}
