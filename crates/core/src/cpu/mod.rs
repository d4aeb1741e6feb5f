//! What a CPU device gives to an op: threads to run on, memory to work in, and its operands.
//!
//! The threads themselves belong to the device; ops only say what is to be done.

mod operands;
mod rows;
mod scratch;

pub use operands::Output;
pub use rows::{OutRow, Rows};
pub use scratch::Scratch;

use crate::Access;
use bessemer_simd::Isa;

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
    pub fn split(&self, len: usize, grain: usize, work: impl Fn(std::ops::Range<usize>) + Sync) {
        // A few pieces per thread: threads that start late or are interrupted take fewer.
        let pieces = (len / grain.max(1)).clamp(1, self.threads() * 4);
        let pieces = if self.threads() == 1 { 1 } else { pieces };
        if len > 0 {
            self.run(pieces, |i| work(len * i / pieces..len * (i + 1) / pieces));
        }
    }

    /// `len` zero-able elements of memory to work in, until the op is done. What they hold at
    /// first is unspecified.
    #[allow(clippy::mut_from_ref)]
    pub fn scratch<T: crate::Element>(&self, len: usize) -> &mut [T] {
        self.scratch.take(len)
    }
}
