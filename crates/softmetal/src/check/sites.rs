//! What the checker remembers of each place in the code that accesses memory, so that check.h can
//! settle most accesses without asking. A site is in one of three ways:
//! * `map` is an address: the place reads memory that nobody writes; bytes are marked in a map.
//! * `map` is 1: the executor's own memory, of no interest.
//! * `map` is 0: a streak, accesses at even distances by threads at even distances; as long as it
//!   goes on it is only counted.

use std::cell::UnsafeCell;

const COUNT: usize = 512;
/// `map` of a site whose accesses are of no interest.
pub(super) const IGNORED: u64 = 1;

/// One place in the code. Its C++ twin is in stdlib/softmetal/runtime.h.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Site {
    pub(super) pc: u64,
    /// The address that a streak needs next (and below the thread), and the way to the one after.
    pub(super) next: u64,
    pub(super) stride: u64,
    /// Accesses that may still be settled; what is missing from `Notes::most` were.
    pub(super) left: u64,
    /// Addresses from `low` to `low + span` may be settled by a map.
    pub(super) low: u64,
    pub(super) span: u64,
    pub(super) map: u64,
    pub(super) thread: u32,
    pub(super) step: u32,
}

/// `left` where nothing limits it.
pub(super) const ENDLESS: u64 = u64::MAX / 2;

/// What kernels need not know of a site.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    pub(super) binding: usize,
    pub(super) size: usize,
    pub(super) write: bool,
    /// Where a streak began, and with whom.
    pub(super) base: usize,
    pub(super) first: u32,
    /// Accesses that came before the site could settle any, and how many it could settle then.
    pub(super) begun: u64,
    pub(super) most: u64,
}

/// A worker's sites.
pub(super) struct Sites {
    table: Box<[UnsafeCell<Site>]>,
    pub(super) notes: Box<[Notes]>,
}

/// What threads are given when nothing is checked: no access is ever settled by it.
pub(crate) static IDLE: [Site; COUNT] =
    [Site { pc: 0, low: 0, span: 0, map: 0, next: 0, stride: 0, left: 0, thread: 0, step: 0 };
        COUNT];

impl Sites {
    pub(super) fn new() -> Sites {
        Sites {
            table: (0..COUNT).map(|_| UnsafeCell::new(Site::default())).collect(),
            notes: vec![Notes::default(); COUNT].into_boxed_slice(),
        }
    }

    pub(super) fn table(&self) -> *const Site {
        self.table.as_ptr().cast()
    }

    /// The slot of a place; the same arithmetic is in check.h.
    pub(super) fn slot(pc: usize) -> usize {
        pc & (COUNT - 1)
    }

    pub(super) fn get(&self, slot: usize) -> Site {
        // SAFETY: the kernel that shares the table is suspended while the checker runs.
        unsafe { *self.table[slot].get() }
    }

    pub(super) fn set(&mut self, slot: usize, site: Site, notes: Notes) {
        // SAFETY: as above.
        unsafe { *self.table[slot].get() = site };
        self.notes[slot] = notes;
    }

    pub(super) fn slots() -> std::ops::Range<usize> {
        0..COUNT
    }
}
