//! The register file: an array of lanes per slot, and where each register's value is right now.

use super::{
    LANES,
    kernels::{Lanes, Word},
};

/// Where a register's lanes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Src {
    /// In memory: its own slot, or a view that can be used in place. Lanes of 64 bits start there
    /// too.
    At(*const u32),
    /// The same value in all lanes, with zeros before it if it is of 32 bits.
    One(u64),
}

/// A cache line of lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// The lanes of all slots, and two more to work in: lanes of 64 bits take two slots.
pub(super) struct File {
    lines: Vec<Line>,
    pub(super) sources: Vec<Src>,
}

impl File {
    pub(super) const fn new() -> File {
        File { lines: Vec::new(), sources: Vec::new() }
    }

    /// Makes room for `slots`.
    pub(super) fn resize(&mut self, slots: usize) {
        let lines = (slots + 2) * LANES / 16;
        if self.lines.len() < lines {
            self.lines.resize(lines, Line([0; 16]));
        }
        self.sources.clear();
        self.sources.resize(slots + 1, Src::One(0));
    }

    /// The lanes of a slot.
    pub(super) fn slot(&mut self, slot: usize) -> *mut u32 {
        self.lines[slot * (LANES / 16)..].as_mut_ptr().cast()
    }
}

impl Src {
    /// The lanes to read.
    ///
    /// # Safety
    /// `n` lanes of that many bits must be there, and nobody may write to them while the result is in use.
    pub(super) unsafe fn lanes<'a, W: Word>(self, n: usize) -> Lanes<'a, W> {
        match self {
            // SAFETY: the caller's promise.
            Src::At(first) => Lanes::Many(unsafe { std::slice::from_raw_parts(first.cast(), n) }),
            Src::One(bits) => Lanes::One(W::of(bits)),
        }
    }
}

/// What a box of elements yielded.
#[derive(Clone, Copy, Debug)]
pub enum Yielded<'a> {
    /// The bits of a value per element, row by row, of a type of 32 bits.
    Many(&'a [u32]),
    /// The same of a type of 64 bits.
    Wide(&'a [u64]),
    /// The same bits for all elements.
    One(u64),
}
