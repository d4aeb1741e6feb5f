//! What a CPU device gives to an op: threads to run on, memory to work in, and its operands.
//!
//! The threads themselves belong to the device; ops only say what is to be done.

mod cast;
mod operands;
mod rows;
mod scratch;

pub use operands::Output;
pub use rows::{OutRow, OutRows, Rows};
pub use scratch::Scratch;

use crate::{Access, Element};
use bessemer_simd::Isa;
use std::ops::Range;

/// Threads that work together on one op.
pub trait Team: Sync {
    /// How many there are.
    fn threads(&self) -> usize;

    /// Calls `work` with each of `0..tasks` once, on all threads, and returns when all are done.
    /// Threads take the next task when they are done with one.
    fn run(&self, tasks: usize, work: &(dyn Fn(usize) + Sync));
}

/// What one op may use while it runs on the CPU.
pub struct CpuContext<'a> {
    access: &'a Access,
    isa: Isa,
    team: &'a dyn Team,
    scratch: &'a Scratch,
}

impl<'a> CpuContext<'a> {
    /// The context of an op that touches `access`.
    ///
    /// # Safety
    /// For as long as this lives, nobody else may write to what `access` reads, nor touch what it
    /// writes; all of it must be memory the host can reach, at addresses aligned to 4 bytes plus
    /// the offsets of the views, and `access` must have passed
    /// [`Batch::push`](crate::Batch::push).
    pub unsafe fn new(
        access: &'a Access,
        isa: Isa,
        team: &'a dyn Team,
        scratch: &'a Scratch,
    ) -> CpuContext<'a> {
        CpuContext { access, isa, team, scratch }
    }

    /// The instruction set to use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.team.threads()
    }

    /// Calls `work` with each of `0..tasks` once, on all threads, and returns when all are done.
    pub fn run(&self, tasks: usize, work: impl Fn(usize) + Sync) {
        match tasks {
            0 => {}
            1 => work(0),
            _ => self.team.run(tasks, &work),
        }
    }

    /// Splits `0..len` into even ranges of at least `grain` and calls `work` with each, on all
    /// threads. A range too short to share runs at once on this thread.
    pub fn split(&self, len: usize, grain: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = self.pieces(len, grain);
        self.run(pieces, |i| work(len * i / pieces..len * (i + 1) / pieces));
    }

    /// The same, with `memory` elements of [`CpuContext::scratch`] for each call.
    pub fn split_with<T: Element>(
        &self,
        len: usize,
        grain: usize,
        memory: usize,
        work: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) {
        let pieces = self.pieces(len, grain);
        // Whole cache lines each.
        let room = memory.next_multiple_of(64 / size_of::<T>());
        let all = Output::of(self.scratch::<T>(pieces * room));
        self.run(pieces, |i| {
            // SAFETY: each piece of memory is given to one task only.
            let memory = unsafe { all.range(i * room..i * room + memory) };
            work(len * i / pieces..len * (i + 1) / pieces, memory);
        });
    }

    /// Into how many pieces `len` is split: a few per thread, since threads that start late or
    /// are interrupted take fewer.
    fn pieces(&self, len: usize, grain: usize) -> usize {
        let most = if self.threads() == 1 { 1 } else { self.threads() * 4 };
        (len / grain.max(1)).clamp(1, most).min(len)
    }

    /// `len` zero-able elements of memory to work in, until the op is done. What they hold at
    /// first is unspecified.
    #[allow(clippy::mut_from_ref)]
    pub fn scratch<T: Element>(&self, len: usize) -> &mut [T] {
        self.scratch.take(len)
    }

    /// Calls `work` with a context whose [`CpuContext::scratch`] memory is taken back when `work`
    /// returns: for ops that do one thing after another.
    pub fn scoped<R>(&self, work: impl FnOnce(&CpuContext<'_>) -> R) -> R {
        self.scratch.scoped(|scratch| {
            work(&CpuContext { access: self.access, isa: self.isa, team: self.team, scratch })
        })
    }
}
