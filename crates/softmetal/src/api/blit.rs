//! The blit encoder: copies and fills.

use super::buffer::Buffer;
use super::command_buffer::{Command, Inner};
use super::event::Fence;
use crate::error::{Result, invalid};
use std::ops::Range;
use std::sync::Arc;

/// Encodes copies between buffers.
pub struct BlitEncoder {
    commands: Arc<Inner>,
    ended: bool,
}

fn within(op: &str, what: &str, buffer: &Buffer, offset: usize, length: usize) -> Result<()> {
    match offset.checked_add(length) {
        Some(end) if end <= buffer.length() => Ok(()),
        _ => invalid(
            op,
            format!(
                "{length} bytes at offset {offset} are not within the {what}'s {}",
                buffer.length()
            ),
        ),
    }
}

impl BlitEncoder {
    pub(crate) fn new(commands: Arc<Inner>) -> BlitEncoder {
        BlitEncoder { commands, ended: false }
    }

    /// Copies bytes from one buffer to another.
    pub fn copy(
        &mut self,
        from: &Buffer,
        from_offset: usize,
        to: &Buffer,
        to_offset: usize,
        length: usize,
    ) -> Result<()> {
        within("copy", "source", from, from_offset, length)?;
        within("copy", "destination", to, to_offset, length)?;
        let overlap = from.inner.id == to.inner.id
            && from_offset < to_offset + length
            && to_offset < from_offset + length;
        if overlap && length > 0 {
            return invalid("copy", "source and destination overlap");
        }
        let (from, to) = (self.commands.held(from), self.commands.held(to));
        self.commands.push(Command::Copy { from, from_offset, to, to_offset, length })
    }

    /// Fills a range with one byte.
    pub fn fill(&mut self, buffer: &Buffer, range: Range<usize>, value: u8) -> Result<()> {
        within("fill", "buffer", buffer, range.start, range.len())?;
        let buffer = self.commands.held(buffer);
        self.commands.push(Command::Fill { buffer, range, value })
    }

    /// Makes a managed buffer's contents visible to the CPU, which they are.
    pub fn synchronize(&mut self, _buffer: &Buffer) {}

    /// Marks this point for encoders that wait for the fence.
    pub fn update_fence(&mut self, fence: &Fence) -> Result<()> {
        self.commands.push(Command::UpdateFence(fence.clone()))
    }

    /// Waits for an encoder that updates the fence.
    pub fn wait_for_fence(&mut self, fence: &Fence) -> Result<()> {
        self.commands.push(Command::WaitFence(fence.clone(), 0))
    }

    /// Ends it; the next encoder can begin.
    pub fn end_encoding(mut self) {
        self.ended = true;
        self.commands.end();
    }
}

impl Drop for BlitEncoder {
    fn drop(&mut self) {
        if !self.ended {
            self.commands.dropped("blit encoder");
        }
    }
}
