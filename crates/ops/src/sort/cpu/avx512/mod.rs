//! The steps of quicksort with AVX-512: keys are parted by compressing vectors, and few of them are
//! sorted in registers (`network`).

mod network;
mod vectors;

use super::quick::Engine;
use std::{arch::x86_64::*, marker::PhantomData};
use vectors::{Lanes32, Lanes64, Vectors};

/// Keys of 32 bits.
pub(super) type Keys32 = Keys<Lanes32>;
/// Keys of 64 bits.
pub(super) type Keys64 = Keys<Lanes64>;

pub(super) struct Keys<V>(PhantomData<V>);

/// Vectors that are read before any of them is written.
const AHEAD: usize = 4;

impl<V: Vectors> Engine for Keys<V> {
    type Key = V::Key;

    const FEW: usize = 16 * V::LANES;

    unsafe fn pivot(from: *const V::Key, len: usize) -> V::Key {
        // SAFETY: as the caller promises.
        unsafe { pivot::<V>(from, len) }
    }

    unsafe fn part(
        from: *const V::Key,
        len: usize,
        low: *mut V::Key,
        high: *mut V::Key,
        pivot: V::Key,
        equal: bool,
    ) -> usize {
        // SAFETY: as the caller promises.
        unsafe {
            match equal {
                true => part::<V, true>(from, len, low, high, pivot),
                false => part::<V, false>(from, len, low, high, pivot),
            }
        }
    }

    unsafe fn few(from: *const V::Key, to: *mut V::Key, len: usize) {
        // SAFETY: as the caller promises.
        unsafe { network::sort::<V>(from, to, len) }
    }
}

/// The median of keys from all over the place.
///
/// # Safety
/// As for [`Engine::pivot`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn pivot<V: Vectors>(from: *const V::Key, len: usize) -> V::Key {
    let mut sample = [V::MAX; 64];
    let count = if len < 4096 { 16 } else { 64 };
    // Within each piece anywhere: even distances could meet a pattern in the keys.
    let (piece, mut random) = (len / count, len as u32);
    for i in 0..count / V::LANES {
        random = random.wrapping_mul(0x9E37_79B9).wrapping_add(0x7F4A_7C15);
        let start = i * V::LANES * piece + ((u64::from(random) * piece as u64) >> 32) as usize;
        // SAFETY: pieces lie within the keys, and the vector within the sample.
        unsafe {
            let keys = V::gather(from.add(start), piece);
            _mm512_storeu_si512(sample.as_mut_ptr().add(i * V::LANES).cast(), keys);
        }
    }
    // SAFETY: so many keys.
    unsafe { network::sort::<V>(sample.as_ptr(), sample.as_mut_ptr(), count) };
    sample[count / 2]
}

/// # Safety
/// As for [`Engine::part`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn part<V: Vectors, const EQUAL: bool>(
    from: *const V::Key,
    len: usize,
    low: *mut V::Key,
    high: *mut V::Key,
    pivot: V::Key,
) -> usize {
    // SAFETY: all that is read lies below `len`. Whole vectors are written in front of the next
    // key that is read, so below `len` too, and over nothing that is still to be read; those
    // behind the last whole vector are written one by one.
    unsafe {
        let pivots = V::splat(pivot);
        let below = |keys| match EQUAL {
            true => !V::less(pivots, keys) & V::ALL,
            false => V::less(keys, pivots),
        };
        let (mut to_low, mut to_high) = (low, high);
        let mut put = |keys, below: u32| {
            let count = below.count_ones() as usize;
            _mm512_storeu_si512(to_low.cast(), V::compress(below, keys));
            _mm512_storeu_si512(to_high.cast(), V::compress(!below & V::ALL, keys));
            to_low = to_low.add(count);
            to_high = to_high.add(V::LANES - count);
        };
        let mut at = 0;
        while at + AHEAD * V::LANES <= len {
            let mut keys = [_mm512_setzero_si512(); AHEAD];
            for (i, keys) in keys.iter_mut().enumerate() {
                *keys = _mm512_loadu_si512(from.add(at + i * V::LANES).cast());
            }
            let masks = keys.map(below);
            for (keys, below) in keys.into_iter().zip(masks) {
                put(keys, below);
            }
            at += AHEAD * V::LANES;
        }
        while at + V::LANES <= len {
            let keys = _mm512_loadu_si512(from.add(at).cast());
            put(keys, below(keys));
            at += V::LANES;
        }
        let rest = len - at;
        let keys = V::load_first(from.add(at), rest, pivots);
        let there = (1 << rest) - 1;
        let below = below(keys) & there;
        let count = below.count_ones() as usize;
        V::store_first(to_low, count, V::compress(below, keys));
        V::store_first(to_high, rest - count, V::compress(!below & there, keys));
        to_low.offset_from(low) as usize + count
    }
}
