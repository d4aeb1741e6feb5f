//! Scratch memory of ops, reused from one op to the next.

use crate::Element;
use std::cell::{Cell, RefCell};

/// An arena: pieces are handed out one after another and all taken back between ops.
///
/// It grows to the most that any op needed and then stays, so that ops allocate nothing once
/// they have run before.
#[derive(Default)]
pub struct Scratch {
    /// The last chunk is the one in use; earlier ones were too small and are still borrowed.
    chunks: RefCell<Vec<Box<[Line]>>>,
    used: Cell<usize>,
    /// For parts of an op that give back what they took before the op ends.
    inner: Cell<Option<Box<Scratch>>>,
}

/// A cache line, so that pieces never share one.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line([u64; 8]);

const LINE: usize = size_of::<Line>();

impl Scratch {
    /// An empty arena.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        let inner = self.inner.take();
        let within = inner.as_ref().map_or(0, |inner| inner.bytes());
        self.inner.set(inner);
        within + self.chunks.borrow().iter().map(|chunk| chunk.len() * LINE).sum::<usize>()
    }

    /// Calls `work` with an arena that is empty at first, and keeps its memory for the next call.
    pub(super) fn scoped<R>(&self, work: impl FnOnce(&Scratch) -> R) -> R {
        let mut inner = self.inner.take().unwrap_or_default();
        inner.reset();
        let result = work(&inner);
        self.inner.set(Some(inner));
        result
    }

    /// Takes everything back: nothing handed out before is in use any more.
    pub fn reset(&mut self) {
        let chunks = self.chunks.get_mut();
        if chunks.len() > 1 {
            // One chunk that would have sufficed.
            let lines = chunks.iter().map(|chunk| chunk.len()).sum();
            chunks.clear();
            chunks.push(lines_of(lines));
        }
        self.used.set(0);
    }

    #[allow(clippy::mut_from_ref)]
    pub(super) fn take<T: Element>(&self, len: usize) -> &mut [T] {
        let Some(bytes) = len.checked_mul(size_of::<T>()) else { refuse(len) };
        let lines = bytes.div_ceil(LINE);
        let mut chunks = self.chunks.borrow_mut();
        if chunks.last().is_none_or(|chunk| chunk.len() - self.used.get() < lines) {
            let held: usize = chunks.iter().map(|chunk| chunk.len()).sum();
            chunks.push(lines_of(lines.max(held)));
            self.used.set(0);
        }
        let start = self.used.replace(self.used.get() + lines);
        let chunk = chunks.last_mut().expect("one was just made");
        let first = chunk[start..].as_mut_ptr().cast::<T>();
        // SAFETY: each line is handed out once until `reset`, which needs the arena for itself;
        // chunks are never moved or freed before; `Element` types accept every bit pattern, and
        // lines are aligned for all of them.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }
}

/// So many lines of zeros.
fn lines_of(count: usize) -> Box<[Line]> {
    let mut lines = Vec::new();
    if lines.try_reserve_exact(count).is_err() {
        refuse(count.saturating_mul(LINE));
    }
    lines.resize(count, Line::default());
    lines.into()
}

/// Ends the op that asked for too much.
fn refuse(bytes: usize) -> ! {
    // Not a panic of ours: the device reports it as the op's failure.
    std::panic::resume_unwind(Box::new(format!("there are no {bytes} bytes of memory to work in")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_apart_and_memory_is_kept() {
        let mut scratch = Scratch::new();
        for _ in 0..3 {
            let a = scratch.take::<f32>(100);
            let b = scratch.take::<u8>(1000);
            let c = scratch.take::<f32>(0);
            a.fill(1.0);
            b.fill(7);
            assert!(a.iter().all(|&x| x == 1.0) && c.is_empty());
            scratch.reset();
        }
        let held = scratch.bytes();
        scratch.take::<u8>(1000);
        scratch.reset();
        assert_eq!(scratch.bytes(), held);
    }

    #[test]
    fn more_than_there_is_ends_the_op_with_a_reason() {
        for len in [1 << 55, usize::MAX / 2] {
            let run = || Scratch::new().take::<f32>(len).len();
            let why = std::panic::catch_unwind(run).unwrap_err();
            assert!(why.downcast_ref::<String>().unwrap().contains("bytes of memory"));
        }
    }

    #[test]
    fn parts_of_an_op_use_the_same_memory() {
        let scratch = Scratch::new();
        let outer = scratch.take::<u8>(100);
        outer.fill(1);
        scratch.scoped(|scratch| scratch.take::<u8>(64_000).fill(2));
        let held = scratch.bytes();
        for _ in 0..5 {
            scratch.scoped(|scratch| scratch.take::<u8>(64_000).fill(3));
        }
        assert_eq!(scratch.bytes(), held);
        assert!(held >= 64_100 && outer.iter().all(|&x| x == 1));
    }
}
