//! Which bytes were touched, and nothing more: all there is to know of memory that a dispatch only
//! reads. One byte for each word of four, so that a whole word is marked by a plain store.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The bytes touched of a range of addresses.
pub(crate) struct Map {
    first: usize,
    words: Box<[UnsafeCell<u8>]>,
}

// SAFETY: while workers run, every access to the words is atomic (here) or a store of whole words
// (check.h); `count` runs after them.
unsafe impl Sync for Map {}

impl Map {
    pub(crate) fn new(range: &Range<usize>) -> Map {
        let first = range.start / 4;
        let words = vec![0u8; range.end.div_ceil(4).saturating_sub(first)].into_boxed_slice();
        // SAFETY: `UnsafeCell<u8>` has the layout of `u8`.
        let words = unsafe { Box::from_raw(Box::into_raw(words) as *mut [UnsafeCell<u8>]) };
        Map { first, words }
    }

    /// What has to be added to the number of a word to come to its byte.
    pub(super) fn bias(&self) -> u64 {
        (self.words.as_ptr() as usize).wrapping_sub(self.first) as u64
    }

    /// Marks bytes, which lie in the map's range.
    pub(super) fn mark(&self, address: usize, size: usize) {
        for word in address / 4..(address + size).div_ceil(4) {
            let (from, to) = (address.max(word * 4), (address + size).min(word * 4 + 4));
            let bits = ((1u16 << (to - word * 4)) - (1u16 << (from - word * 4))) as u8;
            if let Some(cell) = self.words.get(word - self.first) {
                // SAFETY: a byte of our own; all users are atomic, as said above.
                unsafe { AtomicU8::from_ptr(cell.get()) }.fetch_or(bits, Relaxed);
            }
        }
    }

    /// Marks a long row of bytes; no worker may be running.
    pub(super) fn mark_all(&self, address: usize, size: usize) {
        let (from, to) = (address.next_multiple_of(4), (address + size) / 4 * 4);
        if from >= to {
            return self.mark(address, size);
        }
        self.mark(address, from - address);
        self.mark(to, address + size - to);
        let words = &self.words[from / 4 - self.first..to / 4 - self.first];
        // SAFETY: nobody else has the map now.
        unsafe { std::ptr::write_bytes(words.as_ptr().cast_mut().cast::<u8>(), 15, words.len()) };
    }

    /// Different bytes marked that no other map has marked.
    pub(super) fn count_apart(&self, others: &[&Map]) -> u64 {
        if others.is_empty() {
            return self.count();
        }
        // SAFETY: no worker is left that writes.
        let bytes = |map: &Map| unsafe { &*(std::ptr::from_ref(&*map.words) as *const [u8]) };
        let elsewhere = |word: usize| {
            let of = |map: &&Map| bytes(map).get(word.wrapping_sub(map.first)).copied();
            others.iter().filter_map(of).fold(0, |all, one| all | one)
        };
        let own = |(i, &mine): (usize, &u8)| (mine & !elsewhere(self.first + i)).count_ones();
        let marked = bytes(self).iter().enumerate().filter(|(_, mine)| **mine != 0);
        marked.map(|word| u64::from(own(word))).sum()
    }

    /// Different bytes marked.
    pub(super) fn count(&self) -> u64 {
        // SAFETY: no worker is left that writes.
        let bytes = unsafe { &*(std::ptr::from_ref(&*self.words) as *const [u8]) };
        let (eights, rest) = bytes.as_chunks::<8>();
        let ones = |w: &[u8; 8]| u64::from(u64::from_ne_bytes(*w).count_ones());
        eights.iter().map(ones).sum::<u64>()
            + rest.iter().map(|b| u64::from(b.count_ones())).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_once() {
        let m = Map::new(&(102..131));
        m.mark(103, 2);
        m.mark(104, 8);
        m.mark(130, 1);
        m.mark(130, 1);
        assert_eq!(m.count(), 10);
        m.mark_all(103, 26);
        assert_eq!(m.count(), 27);
        let other = Map::new(&(96..112));
        other.mark(100, 6);
        assert_eq!(m.count_apart(&[&other]), 24);
        assert_eq!(other.count_apart(&[&m]), 3);
    }
}
