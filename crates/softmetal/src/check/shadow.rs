//! For every word of memory: who wrote it last, who read it first, and when.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The largest epoch; after it everything is aged and numbering starts over.
pub(crate) const LAST_EPOCH: u32 = 0xfffe;

/// One record: epoch 16, bytes touched in this epoch 4, bytes of this thread 4, flags 8, thread 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) epoch: u32,
    pub(crate) touched: u32,
    pub(crate) mask: u32,
    pub(crate) flags: u32,
    pub(crate) thread: u32,
}

/// The record is of an atomic operation.
pub(crate) const ATOMIC: u32 = 1;
/// More than one thread of the threadgroup has read.
pub(crate) const SHARED: u32 = 2;
/// More than one threadgroup has read.
pub(crate) const CROSS: u32 = 4;

/// The rest of the flags count the fences of the thread before the access, up to this many.
pub(crate) const FENCES: u32 = 31;

impl Mark {
    pub(crate) fn is_atomic(self) -> bool {
        self.flags & ATOMIC != 0
    }

    pub(crate) fn fences(self) -> u32 {
        self.flags >> 3
    }

    fn pack(self) -> u64 {
        u64::from(self.epoch) << 48
            | u64::from(self.touched & 15) << 44
            | u64::from(self.mask & 15) << 40
            | u64::from(self.flags & 255) << 32
            | u64::from(self.thread)
    }

    fn unpack(v: u64) -> Mark {
        Mark {
            epoch: (v >> 48) as u32,
            touched: (v >> 44) as u32 & 15,
            mask: (v >> 40) as u32 & 15,
            flags: (v >> 32) as u32 & 255,
            thread: v as u32,
        }
    }
}

/// The last write and the reads of one word. Fields are atomic because workers share them;
/// a torn pair can only lose a report.
#[derive(Default)]
pub(crate) struct Cell {
    write: AtomicU64,
    read: AtomicU64,
    write_phase: AtomicU32,
    read_phase: AtomicU32,
    write_pc: AtomicU32,
    read_pc: AtomicU32,
}

impl Cell {
    pub(crate) fn written(&self) -> (Mark, u32, u32) {
        (
            Mark::unpack(self.write.load(Relaxed)),
            self.write_phase.load(Relaxed),
            self.write_pc.load(Relaxed),
        )
    }

    pub(crate) fn was_read(&self) -> (Mark, u32, u32) {
        (
            Mark::unpack(self.read.load(Relaxed)),
            self.read_phase.load(Relaxed),
            self.read_pc.load(Relaxed),
        )
    }

    pub(crate) fn set_written(&self, m: Mark, phase: u32, pc: u32) {
        self.write.store(m.pack(), Relaxed);
        self.write_phase.store(phase, Relaxed);
        self.write_pc.store(pc, Relaxed);
    }

    pub(crate) fn set_read(&self, old: Mark, m: Mark, phase: u32, pc: u32) {
        match self.read.compare_exchange(old.pack(), m.pack(), Relaxed, Relaxed) {
            Ok(_) => {
                self.read_phase.store(phase, Relaxed);
                self.read_pc.store(pc, Relaxed);
            }
            Err(now) => {
                // Another worker reads too: all that must not be lost is which bytes.
                let both = Mark::unpack(now).mask & m.mask != 0;
                let cross = if both { u64::from(CROSS) << 32 } else { 0 };
                self.read.fetch_or(u64::from(m.touched & 15) << 44 | cross, Relaxed);
            }
        }
    }
}

/// The shadow of a buffer or of threadgroup memory.
pub(crate) struct Shadow {
    words: usize,
    /// Made when first needed: most buffers of most dispatches do without.
    cells: OnceLock<Box<[Cell]>>,
    /// For private storage, of each word: whether it was ever written.
    written: Option<Box<[AtomicU8]>>,
}

impl Shadow {
    pub(crate) fn new(bytes: usize, tracks_init: bool) -> Shadow {
        let words = bytes.div_ceil(4);
        let written = tracks_init.then(|| (0..words).map(|_| AtomicU8::new(0)).collect());
        Shadow { words, cells: OnceLock::new(), written }
    }

    pub(crate) fn cell(&self, word: usize) -> Option<&Cell> {
        self.cells.get_or_init(|| (0..self.words).map(|_| Cell::default()).collect()).get(word)
    }

    /// Marks bytes as written.
    pub(crate) fn initialize(&self, bytes: std::ops::Range<usize>) {
        if let Some(written) = &self.written {
            for w in written.iter().take(bytes.end.div_ceil(4)).skip(bytes.start / 4) {
                w.store(1, Relaxed);
            }
        }
    }

    /// Whether a word was ever written.
    pub(crate) fn is_initialized(&self, word: usize) -> bool {
        let written = self.written.as_ref().and_then(|all| all.get(word));
        written.is_none_or(|w| w.load(Relaxed) != 0)
    }

    /// Whether every word from one on was written.
    pub(crate) fn is_whole(&self, from: usize) -> bool {
        let Some(written) = &self.written else { return true };
        written.iter().skip(from).all(|w| w.load(Relaxed) != 0)
    }

    pub(crate) fn note_written(&self, word: usize) {
        if let Some(w) = self.written.as_ref().and_then(|all| all.get(word)) {
            w.store(1, Relaxed);
        }
    }

    /// Forgets epochs but not what was written.
    pub(crate) fn age(&self) {
        for c in self.cells.get().into_iter().flatten() {
            c.write.store(0, Relaxed);
            c.read.store(0, Relaxed);
        }
    }

    /// Different bytes read and written in an epoch.
    pub(crate) fn unique(&self, epoch: u32) -> (u64, u64) {
        let mut sum = (0, 0);
        for c in self.cells.get().into_iter().flatten() {
            let (r, w) = (Mark::unpack(c.read.load(Relaxed)), Mark::unpack(c.write.load(Relaxed)));
            if r.epoch == epoch {
                sum.0 += u64::from(r.touched.count_ones());
            }
            if w.epoch == epoch {
                sum.1 += u64::from(w.touched.count_ones());
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_packing() {
        let m = Mark { epoch: 0xabcd, touched: 9, mask: 5, flags: 7, thread: 0xdead_beef };
        assert_eq!(Mark::unpack(m.pack()), m);
    }
}
