//! The compute encoder: what is bound, and dispatches. Rules that Metal's validation has are
//! errors here.

use super::buffer::Buffer;
use super::command_buffer::{Command, Inner};
use super::dispatch::{Bound, Dispatch, Grid};
use super::event::Fence;
use super::pipeline::{ArgumentKind, ComputePipeline};
use crate::error::{Result, invalid};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether dispatches of an encoder wait for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchType {
    /// Each sees what those before it wrote.
    Serial,
    /// They may overlap unless a memory barrier is between them.
    Concurrent,
}

/// Three extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Along x.
    pub width: u64,
    /// Along y.
    pub height: u64,
    /// Along z.
    pub depth: u64,
}

impl Size {
    /// Three extents.
    pub fn new(width: u64, height: u64, depth: u64) -> Size {
        Size { width, height, depth }
    }

    fn array(self) -> [u64; 3] {
        [self.width, self.height, self.depth]
    }
}

/// Encodes dispatches.
pub struct ComputeEncoder {
    commands: Arc<Inner>,
    pipeline: Option<ComputePipeline>,
    bound: HashMap<u32, Bound>,
    resources: Vec<Buffer>,
    threadgroup: [u32; 31],
    ended: bool,
}

impl ComputeEncoder {
    pub(crate) fn new(commands: Arc<Inner>) -> ComputeEncoder {
        ComputeEncoder {
            commands,
            pipeline: None,
            bound: HashMap::new(),
            resources: Vec::new(),
            threadgroup: [0; 31],
            ended: false,
        }
    }

    /// Chooses the kernel of the dispatches that follow.
    pub fn set_pipeline(&mut self, pipeline: &ComputePipeline) {
        self.pipeline = Some(pipeline.clone());
    }

    /// Binds a buffer from an offset on.
    pub fn set_buffer(&mut self, index: u32, buffer: &Buffer, offset: usize) -> Result<()> {
        if index > 30 {
            return invalid(
                "set_buffer",
                format!("index {index} is out of range: there are 31 (0 to 30)"),
            );
        }
        if offset >= buffer.length() {
            return invalid(
                "set_buffer",
                format!(
                    "offset {offset} for index {index} is not within the {} bytes of {}",
                    buffer.length(),
                    buffer.describe()
                ),
            );
        }
        self.bound.insert(index, Bound::Buffer { held: self.commands.held(buffer), offset });
        Ok(())
    }

    /// Binds a copy of some bytes, at most 4096.
    pub fn set_bytes(&mut self, index: u32, bytes: &[u8]) -> Result<()> {
        if index > 30 {
            return invalid(
                "set_bytes",
                format!("index {index} is out of range: there are 31 (0 to 30)"),
            );
        }
        if bytes.is_empty() || bytes.len() > 4096 {
            return invalid(
                "set_bytes",
                format!("takes from 1 to 4096 bytes, not {}", bytes.len()),
            );
        }
        let mut copy = vec![0u128; bytes.len().div_ceil(16)];
        // SAFETY: the copy has at least as many bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                copy.as_mut_ptr().cast::<u8>(),
                bytes.len(),
            )
        };
        self.bound.insert(index, Bound::Bytes(Arc::new(copy), bytes.len()));
        Ok(())
    }

    /// Binds a copy of one value.
    pub fn set_value<T: Copy>(&mut self, index: u32, value: &T) -> Result<()> {
        // SAFETY: plain data, read as bytes.
        let bytes =
            unsafe { std::slice::from_raw_parts((value as *const T).cast::<u8>(), size_of::<T>()) };
        self.set_bytes(index, bytes)
    }

    /// Sets the length of a threadgroup argument; a multiple of 16.
    pub fn set_threadgroup_memory_length(&mut self, index: u32, length: usize) -> Result<()> {
        let op = "set_threadgroup_memory_length";
        if index > 30 {
            return invalid(op, format!("index {index} is out of range: there are 31 (0 to 30)"));
        }
        if !length.is_multiple_of(16) {
            return invalid(op, format!("the length is a multiple of 16 bytes, not {length}"));
        }
        let most = self.commands.device.max_threadgroup_memory_length();
        if length > most {
            return invalid(op, format!("{length} bytes are more than the {most} there are"));
        }
        self.threadgroup[index as usize] = length as u32;
        Ok(())
    }

    /// Says that kernels will reach a buffer through an argument buffer.
    pub fn use_resource(&mut self, buffer: &Buffer) {
        self.resources.push(buffer.clone());
    }

    /// Runs a grid of threads; threadgroups at the edges may be smaller.
    pub fn dispatch_threads(&mut self, grid: Size, threads_per_threadgroup: Size) -> Result<()> {
        self.dispatch("dispatch_threads", Grid::Threads(grid.array()), threads_per_threadgroup)
    }

    /// Runs whole threadgroups.
    pub fn dispatch_threadgroups(
        &mut self,
        groups: Size,
        threads_per_threadgroup: Size,
    ) -> Result<()> {
        self.dispatch(
            "dispatch_threadgroups",
            Grid::Groups(groups.array()),
            threads_per_threadgroup,
        )
    }

    /// Runs as many threadgroups as three 32-bit numbers in a buffer say when it is their turn.
    pub fn dispatch_threadgroups_indirect(
        &mut self,
        buffer: &Buffer,
        offset: usize,
        threads_per_threadgroup: Size,
    ) -> Result<()> {
        let op = "dispatch_threadgroups_indirect";
        if !offset.is_multiple_of(4)
            || offset.checked_add(12).is_none_or(|end| end > buffer.length())
        {
            return invalid(
                op,
                format!(
                    "three numbers at offset {offset} (a multiple of 4) are not within the buffer's {} bytes",
                    buffer.length()
                ),
            );
        }
        let held = self.commands.held(buffer);
        self.dispatch(op, Grid::Indirect { held, offset }, threads_per_threadgroup)
    }

    fn dispatch(&mut self, op: &str, grid: Grid, tpg: Size) -> Result<()> {
        let Some(pipeline) = &self.pipeline else {
            return invalid(op, "no pipeline is set");
        };
        let p = &pipeline.inner;
        let op = format!("{op} of '{}'", p.name);
        let tpg = tpg.array();
        let threads = tpg.iter().try_fold(1u64, |a, &b| a.checked_mul(b)).unwrap_or(u64::MAX);
        if threads == 0 || threads > pipeline.max_total_threads_per_threadgroup() {
            return invalid(
                op,
                format!(
                    "a threadgroup has from 1 to {} threads, not {} x {} x {} ({})",
                    p.threads.most, tpg[0], tpg[1], tpg[2], p.threads.why
                ),
            );
        }
        let empty = match &grid {
            Grid::Threads(n) | Grid::Groups(n) if n.contains(&0) => Some(*n),
            _ => None,
        };
        if let Some([x, y, z]) = empty {
            return invalid(
                op,
                format!("a grid of {x} x {y} x {z} is empty: leave the dispatch out"),
            );
        }
        let mut threadgroup = [0u32; 31];
        for a in p.arguments.iter().filter(|a| a.active) {
            match a.kind {
                ArgumentKind::Buffer { index, .. } => self.check_buffer(&op, index, a)?,
                ArgumentKind::Threadgroup { index } => {
                    let length = self.threadgroup[index as usize];
                    if length < a.data_size.max(1) {
                        return invalid(
                            op,
                            format!(
                                "threadgroup({index}) '{}' needs at least {} bytes, and set_threadgroup_memory_length gave {length}",
                                a.name, a.data_size
                            ),
                        );
                    }
                    threadgroup[index as usize] = length;
                }
                ArgumentKind::Builtin(_) => {}
            }
        }
        let total = p.facts.static_threadgroup + threadgroup.iter().sum::<u32>();
        let most = self.commands.device.max_threadgroup_memory_length();
        if total as usize > most {
            return invalid(
                op,
                format!("{total} bytes of threadgroup memory are more than the {most} there are"),
            );
        }
        let resources = self.resources.iter().map(|b| self.commands.held(b)).collect();
        let dispatch = Dispatch {
            pipeline: p.clone(),
            bound: self.bound.clone(),
            resources,
            threadgroup,
            grid,
            tpg,
        };
        self.commands.push(Command::Dispatch(Box::new(dispatch)))
    }

    fn check_buffer(&self, op: &str, index: u32, a: &super::Argument) -> Result<()> {
        let name = format!("buffer({index}) '{}'", a.name);
        let (length, offset) = match self.bound.get(&index) {
            None => return invalid(op, format!("nothing is bound to {name}")),
            Some(Bound::Bytes(_, length)) => (*length, 0),
            Some(Bound::Buffer { held, offset }) => match held.get() {
                Ok(b) => (b.length() - offset, *offset),
                Err(freed) => return invalid(op, format!("{name} was freed: {freed}")),
            },
        };
        if length < a.data_size as usize {
            return invalid(
                op,
                format!(
                    "{name} is bound to {length} bytes, and one '{}' has {}",
                    a.type_name, a.data_size
                ),
            );
        }
        let alignment = a.data_alignment.clamp(1, 16) as usize;
        if !offset.is_multiple_of(alignment) {
            return invalid(
                op,
                format!(
                    "the offset {offset} of {name} is not a multiple of its type's alignment, {alignment}"
                ),
            );
        }
        Ok(())
    }

    /// Orders everything before it ahead of everything after it.
    pub fn memory_barrier(&mut self) -> Result<()> {
        self.commands.push(Command::Barrier { buffers: None })
    }

    /// Orders accesses to some buffers.
    pub fn memory_barrier_with_resources(&mut self, buffers: &[&Buffer]) -> Result<()> {
        let ids = buffers.iter().map(|b| b.inner.id).collect();
        self.commands.push(Command::Barrier { buffers: Some(ids) })
    }

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

impl Drop for ComputeEncoder {
    fn drop(&mut self) {
        if !self.ended {
            self.commands.dropped("compute encoder");
        }
    }
}
