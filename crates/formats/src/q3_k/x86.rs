//! Its levels and scales in vectors of x86.

use super::{Q3_K, unpack};
use crate::x86::{LANES, Order, Vectors, fours, half, halves_of_words, shifted_bits};
use std::arch::x86_64::*;

impl Vectors for Q3_K {
    const ORDER: Order = Order::Natural;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, group: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe {
            let low = shifted_bits(block.add(32 + 32 * (group / 4)), 2 * (group % 4), 0, 3);
            // Bit `group` of each byte to bit 2.
            _mm256_or_si256(low, shifted_bits(block, group, 2, 4))
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    unsafe fn scales256(block: *const u8) -> [__m256; 2] {
        // SAFETY: as the caller promises; all within the block.
        let (scales, d) = unsafe { (scales(block), _mm256_set1_ps(half(block.add(108)))) };
        let floats = |bytes| _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
        [_mm256_mul_ps(floats(scales), d), _mm256_mul_ps(floats(_mm_srli_si128::<8>(scales)), d)]
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512(block: *const u8) -> __m512 {
        // SAFETY: as the caller promises; all within the block.
        let (scales, d) = unsafe { (scales(block), _mm512_set1_ps(half(block.add(108)))) };
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(scales)), d)
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_step(block: *const u8, step: usize) -> [__m512i; 2] {
        // SAFETY: as the caller promises; all within the block.
        let (low, bits) = unsafe {
            let twice = |at: *const u8| _mm512_broadcast_i64x4(_mm256_loadu_si256(at.cast()));
            (twice(block.add(32 + 32 * step)), twice(block))
        };
        // The groups of the step have pairs of bits one after the other, and third bits likewise.
        let two = |first: usize| {
            let pairs = halves_of_words([2 * first as i16, 2 * first as i16 + 2]);
            let levels = _mm512_and_si512(_mm512_srlv_epi16(low, pairs), _mm512_set1_epi8(3));
            let third = |i: usize| _mm256_set1_epi8((1u8 << (4 * step + i)) as i8);
            let third =
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(third(first)), third(first + 1));
            with_third(levels, bits, third)
        };
        [two(0), two(2)]
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(
        rows: &[&[u8]; LANES],
        at: usize,
        mut put: impl FnMut(usize, usize, __m512i),
    ) {
        for half in 0..2 {
            // SAFETY: as the caller promises; all within the block.
            let take = |place: usize| unsafe { fours(rows, at + place + 16 * half) };
            let (bits, low) = (take(0), [take(32), take(64)]);
            for group in 0..8 {
                let pair = _mm_cvtsi32_si128(2 * (group as i32 % 4));
                let third = _mm512_set1_epi8((1u8 << group) as i8);
                for j in 0..4 {
                    let levels = _mm512_srl_epi16(low[group / 4][j], pair);
                    let levels = _mm512_and_si512(levels, _mm512_set1_epi8(3));
                    put(group, 4 * half + j, with_third(levels, bits[j], third));
                }
            }
        }
    }
}

/// Levels plus 4 where one of the bits of `which` is set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn with_third(levels: __m512i, bits: __m512i, which: __m512i) -> __m512i {
    let set = _mm512_test_epi8_mask(bits, which);
    _mm512_mask_add_epi8(levels, set, levels, _mm512_set1_epi8(4))
}

/// The 16 scales of a block as signed bytes.
///
/// # Safety
/// A whole block must be there.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn scales(block: *const u8) -> __m128i {
    // SAFETY: as the caller promises; the array is 16 bytes.
    unsafe { _mm_loadu_si128(unpack(&*block.add(96).cast()).as_ptr().cast()) }
}
