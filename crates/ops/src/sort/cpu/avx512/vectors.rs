//! Vectors of 16 keys of 32 bits, or of 8 of 64.

use std::arch::x86_64::*;

/// What the sort needs of vectors of keys. Lanes are counted from the first in memory.
///
/// # Safety
/// All functions need AVX-512 F.
pub(in crate::sort::cpu) trait Vectors {
    /// A key.
    type Key: Copy + Ord + Send + Sync;

    /// Keys of a vector, as a power of two.
    const BITS: u32;
    /// Keys of a vector.
    const LANES: usize = 1 << Self::BITS;
    /// A mask of all lanes.
    const ALL: u32 = ((1u64 << Self::LANES) - 1) as u32;
    /// The largest key.
    const MAX: Self::Key;

    unsafe fn splat(key: Self::Key) -> __m512i;
    unsafe fn min(a: __m512i, b: __m512i) -> __m512i;
    unsafe fn max(a: __m512i, b: __m512i) -> __m512i;
    /// The larger of both in the lanes of the mask, `a` in the others.
    unsafe fn max_in(mask: u32, a: __m512i, b: __m512i, c: __m512i) -> __m512i;
    /// `b` in the lanes of the mask, `a` in the others.
    unsafe fn blend(mask: u32, a: __m512i, b: __m512i) -> __m512i;
    /// The lanes in which `a` is less.
    unsafe fn less(a: __m512i, b: __m512i) -> u32;
    /// The lanes of the mask first, then zeros.
    unsafe fn compress(mask: u32, keys: __m512i) -> __m512i;
    /// Writes the first `count` lanes; not all of them.
    unsafe fn store_first(to: *mut Self::Key, count: usize, keys: __m512i);
    /// Reads the first `count` lanes, not all of them; the others are those of `rest`.
    unsafe fn load_first(from: *const Self::Key, count: usize, rest: __m512i) -> __m512i;
    /// As many keys as there are lanes, `step` apart.
    unsafe fn gather(from: *const Self::Key, step: usize) -> __m512i;
    /// In lane `i` that of number `i ^ TURN`.
    unsafe fn turn<const TURN: u32>(keys: __m512i) -> __m512i;
    /// In lane `i` that of number `order[i]`.
    unsafe fn permute(order: [u8; 16], keys: __m512i) -> __m512i;
}

/// Keys of 32 bits.
pub(in crate::sort::cpu) struct Lanes32;

impl Vectors for Lanes32 {
    type Key = i32;

    const BITS: u32 = 4;
    const MAX: i32 = i32::MAX;

    #[inline(always)]
    unsafe fn splat(key: i32) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_set1_epi32(key) }
    }

    #[inline(always)]
    unsafe fn min(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_min_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn max(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_max_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn max_in(mask: u32, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_max_epi32(a, mask as u16, b, c) }
    }

    #[inline(always)]
    unsafe fn blend(mask: u32, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_blend_epi32(mask as u16, a, b) }
    }

    #[inline(always)]
    unsafe fn less(a: __m512i, b: __m512i) -> u32 {
        // SAFETY: as the caller promises.
        unsafe { _mm512_cmplt_epi32_mask(a, b).into() }
    }

    #[inline(always)]
    unsafe fn compress(mask: u32, keys: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_maskz_compress_epi32(mask as u16, keys) }
    }

    #[inline(always)]
    unsafe fn store_first(to: *mut i32, count: usize, keys: __m512i) {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_storeu_epi32(to, ((1u32 << count) - 1) as u16, keys) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const i32, count: usize, rest: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_loadu_epi32(rest, ((1u32 << count) - 1) as u16, from) }
    }

    #[inline(always)]
    unsafe fn gather(from: *const i32, step: usize) -> __m512i {
        let keys: [i32; 16] = std::array::from_fn(|i| {
            // SAFETY: as the caller promises.
            unsafe { *from.add(i * step) }
        });
        // SAFETY: as many as lanes.
        unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn turn<const TURN: u32>(keys: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe {
            match TURN {
                1 => _mm512_shuffle_epi32::<0b10_11_00_01>(keys),
                2 => _mm512_shuffle_epi32::<0b01_00_11_10>(keys),
                3 => _mm512_shuffle_epi32::<0b00_01_10_11>(keys),
                4 => _mm512_shuffle_i64x2::<0b10_11_00_01>(keys, keys),
                8 => _mm512_shuffle_i64x2::<0b01_00_11_10>(keys, keys),
                _ => Self::permute(std::array::from_fn(|i| (i as u32 ^ TURN) as u8), keys),
            }
        }
    }

    #[inline(always)]
    unsafe fn permute(order: [u8; 16], keys: __m512i) -> __m512i {
        let order: [i32; 16] = order.map(i32::from);
        // SAFETY: as the caller promises.
        unsafe { _mm512_permutexvar_epi32(_mm512_loadu_si512(order.as_ptr().cast()), keys) }
    }
}

/// Keys of 64 bits.
pub(in crate::sort::cpu) struct Lanes64;

impl Vectors for Lanes64 {
    type Key = i64;

    const BITS: u32 = 3;
    const MAX: i64 = i64::MAX;

    #[inline(always)]
    unsafe fn splat(key: i64) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_set1_epi64(key) }
    }

    #[inline(always)]
    unsafe fn min(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_min_epi64(a, b) }
    }

    #[inline(always)]
    unsafe fn max(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_max_epi64(a, b) }
    }

    #[inline(always)]
    unsafe fn max_in(mask: u32, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_max_epi64(a, mask as u8, b, c) }
    }

    #[inline(always)]
    unsafe fn blend(mask: u32, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_blend_epi64(mask as u8, a, b) }
    }

    #[inline(always)]
    unsafe fn less(a: __m512i, b: __m512i) -> u32 {
        // SAFETY: as the caller promises.
        unsafe { _mm512_cmplt_epi64_mask(a, b).into() }
    }

    #[inline(always)]
    unsafe fn compress(mask: u32, keys: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_maskz_compress_epi64(mask as u8, keys) }
    }

    #[inline(always)]
    unsafe fn store_first(to: *mut i64, count: usize, keys: __m512i) {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_storeu_epi64(to, ((1u32 << count) - 1) as u8, keys) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const i64, count: usize, rest: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_mask_loadu_epi64(rest, ((1u32 << count) - 1) as u8, from) }
    }

    #[inline(always)]
    unsafe fn gather(from: *const i64, step: usize) -> __m512i {
        let keys: [i64; 8] = std::array::from_fn(|i| {
            // SAFETY: as the caller promises.
            unsafe { *from.add(i * step) }
        });
        // SAFETY: as many as lanes.
        unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn turn<const TURN: u32>(keys: __m512i) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe {
            match TURN {
                1 => _mm512_shuffle_epi32::<0b01_00_11_10>(keys),
                2 => _mm512_permutex_epi64::<0b01_00_11_10>(keys),
                3 => _mm512_permutex_epi64::<0b00_01_10_11>(keys),
                4 => _mm512_shuffle_i64x2::<0b01_00_11_10>(keys, keys),
                _ => Self::permute(std::array::from_fn(|i| (i as u32 ^ TURN) as u8), keys),
            }
        }
    }

    #[inline(always)]
    unsafe fn permute(order: [u8; 16], keys: __m512i) -> __m512i {
        let order: [i64; 8] = std::array::from_fn(|i| order[i].into());
        // SAFETY: as the caller promises.
        unsafe { _mm512_permutexvar_epi64(_mm512_loadu_si512(order.as_ptr().cast()), keys) }
    }
}
