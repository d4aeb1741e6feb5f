//! For every word of memory: who wrote it last, who has read it, and when. Words of which threads
//! touch single bytes are kept byte by byte.

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

/// The rest of the flags count the fences of the thread before the access, up to this many.
pub(crate) const FENCES: u32 = 127;

impl Mark {
    pub(crate) fn is_atomic(self) -> bool {
        self.flags & ATOMIC != 0
    }

    pub(crate) fn fences(self) -> u32 {
        self.flags >> 1
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

/// A mark, the phase in which it was made, and the place in the code.
pub(crate) type Noted = (Mark, u32, u32);

#[derive(Default)]
struct Record {
    mark: AtomicU64,
    phase: AtomicU32,
    pc: AtomicU32,
}

impl Record {
    fn get(&self) -> Noted {
        (Mark::unpack(self.mark.load(Relaxed)), self.phase.load(Relaxed), self.pc.load(Relaxed))
    }

    fn set(&self, (m, phase, pc): Noted) {
        self.mark.store(m.pack(), Relaxed);
        self.phase.store(phase, Relaxed);
        self.pc.store(pc, Relaxed);
    }
}

/// The last write and two reads of one word or byte. Fields are atomic because workers share them;
/// a torn record can only lose a report.
#[derive(Default)]
pub(crate) struct Cell {
    write: Record,
    /// The latest, and one of another thread that the latest does not stand for.
    reads: [Record; 2],
}

impl Cell {
    pub(crate) fn written(&self) -> Noted {
        self.write.get()
    }

    pub(crate) fn reads(&self) -> [Noted; 2] {
        self.reads.each_ref().map(Record::get)
    }

    pub(crate) fn set_written(&self, new: Noted) {
        self.write.set(new);
    }

    /// Replaces the latest read, which was `old`.
    pub(crate) fn set_latest_read(&self, old: Mark, new: Noted) {
        let latest = &self.reads[0];
        match latest.mark.compare_exchange(old.pack(), new.0.pack(), Relaxed, Relaxed) {
            Ok(_) => {
                latest.phase.store(new.1, Relaxed);
                latest.pc.store(new.2, Relaxed);
            }
            Err(_) => {
                // Another worker reads too: which bytes were touched must not be lost.
                latest.mark.fetch_or(u64::from(new.0.touched & 15) << 44, Relaxed);
                self.set_other_read(new);
            }
        }
    }

    pub(crate) fn set_other_read(&self, new: Noted) {
        self.reads[1].set((Mark { touched: 0, ..new.0 }, new.1, new.2));
    }

    /// What is known of one byte of the word.
    fn of_byte(&self, byte: u32) -> Cell {
        let copy = Cell::default();
        let one = |(m, phase, pc): Noted| {
            let (touched, mask) = (m.touched & 1 << byte, m.mask & 1 << byte);
            let m = if touched | mask == 0 { Mark::default() } else { Mark { touched, mask, ..m } };
            (m, phase, pc)
        };
        copy.write.set(one(self.write.get()));
        for (to, from) in copy.reads.iter().zip(&self.reads) {
            to.set(one(from.get()));
        }
        copy
    }

    fn clear(&self) {
        for record in [&self.write, &self.reads[0], &self.reads[1]] {
            record.mark.store(0, Relaxed);
        }
    }
}

/// Words that are kept byte by byte together.
const CHUNK: usize = 256;

/// The cells of a chunk's bytes, once they are needed.
type Chunk = OnceLock<Box<[Cell]>>;

/// The shadow of a buffer or of threadgroup memory.
pub(crate) struct Shadow {
    words: usize,
    /// Made when first needed: most buffers of most dispatches do without.
    cells: OnceLock<Box<[Cell]>>,
    /// Four cells for each word of a chunk, once threads have touched parts of its words.
    bytes: OnceLock<Box<[Chunk]>>,
    /// For private storage, of each word: which bytes were ever written.
    written: Option<Box<[AtomicU8]>>,
}

impl Shadow {
    pub(crate) fn new(bytes: usize, tracks_init: bool) -> Shadow {
        let words = bytes.div_ceil(4);
        let written: Option<Box<[AtomicU8]>> =
            tracks_init.then(|| (0..words).map(|_| AtomicU8::new(0)).collect());
        // Bytes beyond the end are nobody's to write.
        if let Some(last) = written.as_ref().and_then(|all| all.last()) {
            last.store(15 & !mask_of(0..(bytes + 3) % 4 + 1) as u8, Relaxed);
        }
        Shadow { words, cells: OnceLock::new(), bytes: OnceLock::new(), written }
    }

    fn cell(&self, word: usize) -> Option<&Cell> {
        self.cells.get_or_init(|| (0..self.words).map(|_| Cell::default()).collect()).get(word)
    }

    /// Visits the cells of some bytes of a word, each with the bytes it stands for. `apart` keeps
    /// parts of words by themselves from now on; without it all threads that touch parts of a word
    /// are taken for one.
    pub(crate) fn each(
        &self,
        word: usize,
        mask: u32,
        apart: bool,
        mut visit: impl FnMut(&Cell, u32),
    ) {
        let Some(cell) = self.cell(word) else {
            return;
        };
        match self.cells_of_bytes(word, apart && mask != 15) {
            None => visit(cell, mask),
            Some(cells) => {
                for (byte, cell) in cells.iter().enumerate().filter(|(b, _)| mask >> b & 1 == 1) {
                    visit(cell, 1 << byte);
                }
            }
        }
    }

    fn cells_of_bytes(&self, word: usize, make: bool) -> Option<&[Cell]> {
        let all = match make {
            true => self
                .bytes
                .get_or_init(|| (0..self.words.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect()),
            false => self.bytes.get()?,
        };
        let chunk = all.get(word / CHUNK)?;
        let cells = match make {
            true => chunk.get_or_init(|| self.split(word / CHUNK)),
            false => chunk.get()?,
        };
        let at = word % CHUNK * 4;
        cells.get(at..at + 4)
    }

    /// Takes over what is known of the words of a chunk.
    fn split(&self, chunk: usize) -> Box<[Cell]> {
        let words = (chunk * CHUNK..(chunk + 1) * CHUNK).filter_map(|word| self.cell(word));
        let split = |cell: &Cell| {
            let bytes = [0, 1, 2, 3].map(|byte| cell.of_byte(byte));
            cell.clear();
            bytes
        };
        words.flat_map(split).collect()
    }

    /// Marks bytes as written.
    pub(crate) fn initialize(&self, bytes: std::ops::Range<usize>) {
        for word in bytes.start / 4..bytes.end.div_ceil(4) {
            let from = bytes.start.max(word * 4) - word * 4;
            let to = bytes.end.min(word * 4 + 4) - word * 4;
            self.note_written(word, mask_of(from..to));
        }
    }

    /// Whether bytes of a word were ever written, all of them.
    pub(crate) fn is_initialized(&self, word: usize, mask: u32) -> bool {
        let written = self.written.as_ref().and_then(|all| all.get(word));
        written.is_none_or(|w| u32::from(w.load(Relaxed)) & mask == mask)
    }

    /// Whether every word from one on was written.
    pub(crate) fn is_whole(&self, from: usize) -> bool {
        let Some(written) = &self.written else { return true };
        written.iter().skip(from).all(|w| w.load(Relaxed) == 15)
    }

    pub(crate) fn note_written(&self, word: usize, mask: u32) {
        if let Some(w) = self.written.as_ref().and_then(|all| all.get(word)) {
            w.fetch_or(mask as u8, Relaxed);
        }
    }

    fn all_cells(&self) -> impl Iterator<Item = &Cell> {
        let bytes = self.bytes.get().into_iter().flatten().filter_map(|c| c.get()).flatten();
        self.cells.get().into_iter().flatten().chain(bytes)
    }

    /// Forgets epochs but not what was written.
    pub(crate) fn age(&self) {
        self.all_cells().for_each(Cell::clear);
    }

    /// Different bytes read and written in an epoch.
    pub(crate) fn unique(&self, epoch: u32) -> (u64, u64) {
        let mut sum = (0, 0);
        for c in self.all_cells() {
            let (r, w) = (c.reads[0].get().0, c.write.get().0);
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

/// A bit for each byte of a range within a word.
pub(super) fn mask_of(bytes: std::ops::Range<usize>) -> u32 {
    (1u32 << bytes.end) - (1u32 << bytes.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_packing() {
        let m = Mark { epoch: 0xabcd, touched: 9, mask: 5, flags: 7, thread: 0xdead_beef };
        assert_eq!(Mark::unpack(m.pack()), m);
    }

    #[test]
    fn a_word_is_split_with_what_is_known_of_it() {
        let shadow = Shadow::new(12, false);
        let m = Mark { epoch: 3, touched: 15, mask: 15, flags: 0, thread: 7 };
        shadow.each(1, 15, true, |cell, _| cell.set_written((m, 1, 2)));
        let mut seen = Vec::new();
        shadow.each(1, 6, true, |cell, mask| seen.push((cell.written().0, mask)));
        let byte = |mask: u32| (Mark { touched: mask, mask, ..m }, mask);
        assert_eq!(seen, [byte(2), byte(4)]);
        assert_eq!(shadow.unique(3), (0, 4));
    }

    #[test]
    fn what_is_beyond_the_end_need_not_be_written() {
        for bytes in 1..9 {
            let shadow = Shadow::new(bytes, true);
            assert!(!shadow.is_whole(0));
            shadow.initialize(0..bytes);
            assert!(shadow.is_whole(0), "{bytes}");
        }
    }
}
