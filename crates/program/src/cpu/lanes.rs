//! The register file: an array of lanes per slot, and where each register's value is right now.

use super::{LANES, kernels::Lanes};

/// Where a register's lanes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Src {
    /// In memory: its own slot, or a view that can be used in place.
    At(*const u32),
    /// The same value in all lanes.
    One(u32),
}

/// A cache line of lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// The lanes of all slots, and one more to work in.
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
        let lines = (slots + 1) * LANES / 16;
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
    /// `n` lanes must be there, and nobody may write to them while the result is in use.
    pub(super) unsafe fn lanes<'a>(self, n: usize) -> Lanes<'a> {
        match self {
            // SAFETY: the caller's promise.
            Src::At(first) => Lanes::Many(unsafe { std::slice::from_raw_parts(first, n) }),
            Src::One(value) => Lanes::One(value),
        }
    }
}

/// What a box of elements yielded.
#[derive(Clone, Copy, Debug)]
pub enum Yielded<'a> {
    /// The bits of a value per element, row by row.
    Many(&'a [u32]),
    /// The same bits for all elements.
    One(u32),
}
