//! The steps of quicksort on any machine.

use super::quick::Engine;
use std::{marker::PhantomData, slice::from_raw_parts_mut};

/// Keys of type `K`, one after another.
pub(super) struct Portable<K>(PhantomData<K>);

impl<K: Copy + Ord + Send + Sync> Engine for Portable<K> {
    type Key = K;

    /// The standard library's sort is as good as any that goes through keys one by one.
    const FEW: usize = usize::MAX;

    unsafe fn pivot(from: *const K, len: usize) -> K {
        // SAFETY: as the caller promises.
        let mut sample: [K; 9] = std::array::from_fn(|i| unsafe { *from.add((len - 1) / 8 * i) });
        sample.sort_unstable();
        sample[4]
    }

    unsafe fn part(
        from: *const K,
        len: usize,
        low: *mut K,
        high: *mut K,
        pivot: K,
        equal: bool,
    ) -> usize {
        let mut cut = 0;
        for i in 0..len {
            // SAFETY: as the caller promises. Neither place is in front of the key that is read.
            unsafe {
                let key = *from.add(i);
                let below = key < pivot || equal && key == pivot;
                // Both are written, one of them for nothing: no branch that nobody can foresee.
                low.add(cut).write(key);
                high.add(i - cut).write(key);
                cut += usize::from(below);
            }
        }
        cut
    }

    unsafe fn few(from: *const K, to: *mut K, len: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            if from != to.cast_const() {
                from.copy_to_nonoverlapping(to, len);
            }
            from_raw_parts_mut(to, len).sort_unstable();
        }
    }
}
