//! What a CPU device provides to an op: a thread pool, scratch memory, and its operands.
//!
//! The threads belong to the device; ops only define the tasks.

mod cast;
mod operands;
mod rows;
mod scratch;

pub use operands::Output;
pub use rows::{OutRow, OutRows, Rows};
pub use scratch::Scratch;

use crate::{Access, Deadline, Element};
use bessemer_simd::Isa;
use std::ops::Range;

/// A thread pool that runs the tasks of one op.
pub trait ThreadPool: Sync {
    /// The number of threads.
    fn threads(&self) -> usize;

    /// Calls `work` with each of `0..tasks` once, on all threads, and returns when all are done.
    /// A thread takes the next task when it finishes one.
    fn run(&self, tasks: usize, work: &(dyn Fn(usize) + Sync));

    /// The same where neighbouring tasks touch neighbouring memory. Each thread starts with a
    /// share of its own, the same one each time, and reverses its direction every other time, so that it
    /// starts with the memory that is still in its cache.
    ///
    /// Threads that sleep are only woken if `wake` says that the work is worth it.
    fn share(&self, tasks: usize, wake: bool, work: &(dyn Fn(usize) + Sync));
}

/// What an op can use while it runs on the CPU: operands, thread pool, scratch memory.
pub struct CpuContext<'a> {
    access: &'a Access,
    isa: Isa,
    precise: bool,
    thread_pool: &'a dyn ThreadPool,
    scratch: &'a Scratch,
    deadline: &'a Deadline,
}

impl<'a> CpuContext<'a> {
    /// The context of an op that touches `access`.
    ///
    /// # Safety
    /// For as long as this lives, nobody else may write to what `access` reads, nor touch what it
    /// writes; all of it must be memory the host can reach, at addresses aligned to 8 bytes plus
    /// the offsets of the views, and `access` must have passed
    /// [`Batch::push`](crate::Batch::push).
    pub unsafe fn new(
        access: &'a Access,
        isa: Isa,
        precise: bool,
        thread_pool: &'a dyn ThreadPool,
        scratch: &'a Scratch,
    ) -> CpuContext<'a> {
        CpuContext { access, isa, precise, thread_pool, scratch, deadline: Deadline::none() }
    }

    /// The same for an op that has to end by `deadline`.
    #[must_use]
    pub fn until(self, deadline: &'a Deadline) -> CpuContext<'a> {
        CpuContext { deadline, ..self }
    }

    /// When the op has to end, for those that may run for long.
    pub fn deadline(&self) -> &'a Deadline {
        self.deadline
    }

    /// The instruction set to use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Whether results are to be as near to those of `f32` arithmetic as there is code for, even
    /// where that takes longer.
    pub fn precise(&self) -> bool {
        self.precise
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.thread_pool.threads()
    }

    /// Calls `work` with each of `0..tasks` once, on all threads, and returns when all are done.
    pub fn run(&self, tasks: usize, work: impl Fn(usize) + Sync) {
        match tasks {
            0 => {}
            1 => work(0),
            _ => self.thread_pool.run(tasks, &work),
        }
    }

    /// The same for tasks that touch memory one after another: threads keep to their shares of
    /// it, from one op to the next, and begin where they left off. Threads that sleep are only
    /// woken if `wake` says that it is worth it, which is from a few microseconds on.
    pub fn share(&self, tasks: usize, wake: bool, work: impl Fn(usize) + Sync) {
        match tasks {
            0 => {}
            1 => work(0),
            _ => self.thread_pool.share(tasks, wake, &work),
        }
    }

    /// Splits `0..len` into even ranges of at least `grain` and calls `work` with each, on all
    /// threads. A range too short to share runs at once on this thread.
    pub fn split(&self, len: usize, grain: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = self.pieces(len, grain);
        self.share(pieces, true, |i| work(len * i / pieces..len * (i + 1) / pieces));
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
        self.scratch.scoped(|scratch| work(&CpuContext { scratch, ..*self }))
    }
}
