//! Quicksort between two places: a pivot parts keys into low ones, which go to the front of where they
//! belong, and high ones, which go to the front of the room beside it. Both are written in the order
//! they are read, and threads take parts from a common list.

use super::{
    keys::{Code, Word},
    portable::Portable,
};
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_simd::Isa;
use std::{
    hint,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What sorts keys on some instruction set.
pub(super) trait Engine {
    /// A key.
    type Key: Copy + Ord + Send + Sync;

    /// Up to so many keys are sorted without parting them.
    const FEW: usize;

    /// A key near the middle of these.
    ///
    /// # Safety
    /// `from` has `len` keys, at least 64.
    unsafe fn pivot(from: *const Self::Key, len: usize) -> Self::Key;

    /// Writes keys below the pivot (if `equal`, also those like it) to `low` and the others to
    /// `high`, in order, and returns how many the first are.
    ///
    /// # Safety
    /// All three have room for `len` keys; `low` or `high` may be `from`, and all are apart else.
    /// What lies behind the keys written, up to `len`, may be overwritten. The machine has the
    /// instruction set.
    unsafe fn part(
        from: *const Self::Key,
        len: usize,
        low: *mut Self::Key,
        high: *mut Self::Key,
        pivot: Self::Key,
        equal: bool,
    ) -> usize;

    /// Sorts up to [`Engine::FEW`] keys.
    ///
    /// # Safety
    /// As for [`Engine::part`]; the two may be one.
    unsafe fn few(from: *const Self::Key, to: *mut Self::Key, len: usize);
}

/// Keys to be sorted: `len` of them, which belong at `to`, with as much `room`.
struct Part<K> {
    to: *mut K,
    room: *mut K,
    len: usize,
    /// Whether they are in the room, rather than where they belong.
    aside: bool,
    /// How often it may still be parted before something else sorts it.
    depth: u32,
}

// SAFETY: each part has its memory for itself.
unsafe impl<K: Send> Send for Part<K> {}

impl<K: Copy + Ord> Part<K> {
    fn from(&self) -> *mut K {
        if self.aside { self.room } else { self.to }
    }

    /// Parts it: the low keys, if they are not all alike and so done already, and the high ones.
    ///
    /// # Safety
    /// The memory is there, and the machine has what the engine needs.
    unsafe fn split<E: Engine<Key = K>>(self) -> (Option<Part<K>>, Part<K>) {
        let Part { to, room, len, .. } = self;
        let depth = self.depth - 1;
        // SAFETY: as the caller promises; low keys take the front of `to` and high ones that of
        // the room, so each part's share of both has the same length.
        unsafe {
            let pivot = E::pivot(self.from(), len);
            let cut = E::part(self.from(), len, to, room, pivot, false);
            if cut == 0 {
                // The pivot is the least of all, which are in the room now.
                let alike = E::part(room, len, to, room, pivot, true);
                let high = Part { to: to.add(alike), room, len: len - alike, aside: true, depth };
                return (None, high);
            }
            let low = Part { to, room: room.add(len - cut), len: cut, aside: false, depth };
            let high = Part { to: to.add(cut), room, len: len - cut, aside: true, depth };
            (Some(low), high)
        }
    }

    /// Sorts it.
    ///
    /// # Safety
    /// As for [`Part::split`].
    unsafe fn sort<E: Engine<Key = K>>(mut self) {
        // SAFETY: as the caller promises.
        unsafe {
            while self.len > E::FEW {
                if self.depth == 0 {
                    if self.aside {
                        self.room.copy_to_nonoverlapping(self.to, self.len);
                    }
                    return std::slice::from_raw_parts_mut(self.to, self.len).sort_unstable();
                }
                let (low, high) = self.split::<E>();
                if let Some(low) = low {
                    low.sort::<E>();
                }
                self = high;
            }
            E::few(self.from(), self.to, self.len);
        }
    }
}

/// Parts longer than this are parted further, so that all threads have something to do.
const SHARED: usize = 1024;

/// Sorts keys that are in `room`, to `to`.
///
/// # Safety
/// The machine has what the engine needs.
unsafe fn run<E: Engine>(to: &mut [E::Key], room: &mut [E::Key], team: Option<&CpuContext<'_>>) {
    let len = to.len();
    assert_eq!(room.len(), len, "as much room as keys");
    let depth = 2 * (len.max(1).ilog2() + 1);
    let whole = Part { to: to.as_mut_ptr(), room: room.as_mut_ptr(), len, aside: true, depth };
    let threads = team.map_or(1, CpuContext::threads);
    let (Some(team), true) = (team, threads > 1) else {
        // SAFETY: two slices of this length.
        return unsafe { whole.sort::<E>() };
    };
    let (open, left) = (Mutex::new(vec![whole]), AtomicUsize::new(len));
    let least = (len / (8 * threads)).max(SHARED);
    team.run(threads, |_| {
        while left.load(Ordering::Acquire) > 0 {
            let taken = open.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut part) = taken else {
                // Another thread is about to give some away, or all are nearly done.
                hint::spin_loop();
                continue;
            };
            // SAFETY: parts of the slices, which do not overlap.
            unsafe {
                while part.len > least && part.depth > 0 {
                    let len = part.len;
                    let (low, high) = part.split::<E>();
                    match low {
                        Some(low) => open.lock().unwrap_or_else(PoisonError::into_inner).push(low),
                        None => {
                            left.fetch_sub(len - high.len, Ordering::Release);
                        }
                    }
                    part = high;
                }
                let len = part.len;
                part.sort::<E>();
                left.fetch_sub(len, Ordering::Release);
            }
        }
    });
}

/// Sorts keys of some type by what the machine has.
pub(super) trait Sortable: Copy + Ord + Send + Sync {
    /// Sorts keys that are in `room`, to `to`.
    fn sort(to: &mut [Self], room: &mut [Self], isa: Isa, team: Option<&CpuContext<'_>>);
}

macro_rules! sortable {
    ($($type:ty $(: $engine:ident)?;)*) => {$(
        impl Sortable for $type {
            fn sort(to: &mut [Self], room: &mut [Self], isa: Isa, team: Option<&CpuContext<'_>>) {
                match isa {
                    $(
                        // SAFETY: the machine has it.
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx512 => unsafe { run::<super::avx512::$engine>(to, room, team) },
                    )?
                    // SAFETY: every machine has it.
                    _ => unsafe { run::<Portable<$type>>(to, room, team) },
                }
            }
        }
    )*};
}

sortable! {
    i32: Keys32;
    i64: Keys64;
    [i64; 2];
}

/// Writes the keys of `x` to `to`, sorted, and makes elements of them.
pub(super) fn sort<W: Word<Key: Sortable>>(
    x: &[W],
    to: &mut [W::Key],
    room: &mut [W::Key],
    code: Code,
    isa: Isa,
    team: Option<&CpuContext<'_>>,
) {
    share(team, Output::of(room), |start, room| {
        for (key, x) in room.iter_mut().zip(&x[start..]) {
            *key = x.key(code);
        }
    });
    W::Key::sort(to, room, isa, team);
}

/// Writes the keys of `x` in their order, each with its place.
pub(super) fn sort_pairs<W: Word<Pair: Sortable>>(
    x: &[W],
    pairs: &mut [W::Pair],
    room: &mut [W::Pair],
    code: Code,
    isa: Isa,
    team: Option<&CpuContext<'_>>,
) {
    share(team, Output::of(room), |start, room| {
        for (i, (pair, x)) in room.iter_mut().zip(&x[start..]).enumerate() {
            *pair = x.pair(start + i, code);
        }
    });
    W::Pair::sort(pairs, room, isa, team);
}

/// Calls `work` with pieces of `to` and where they start, on all threads of a team.
pub(super) fn share<T: Send>(
    team: Option<&CpuContext<'_>>,
    to: Output<'_, T>,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let piece = |range: std::ops::Range<usize>| {
        // SAFETY: each piece is given to one task only.
        work(range.start, unsafe { to.range(range.clone()) });
    };
    match team {
        Some(team) => team.split(to.len(), 1 << 14, piece),
        None => piece(0..to.len()),
    }
}
