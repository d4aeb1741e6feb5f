//! Its levels and scales in vectors of x86.

use super::Q6_K;
use crate::x86::{
    LANES, Order, Vectors, fours, half, half_bytes, halves_of_words, nibbles512, shifted_bits,
};
use std::arch::x86_64::*;

impl Vectors for Q6_K {
    const ORDER: Order = Order::Natural;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, group: usize) -> __m256i {
        let (half, k) = (group / 4, group % 4);
        // SAFETY: as the caller promises; all within the block.
        unsafe {
            let low = half_bytes(block.add(64 * half + 32 * (k % 2)), k / 2 * 4);
            // Bits `2k` and `2k + 1` of each byte to bits 4 and 5.
            _mm256_or_si256(low, shifted_bits(block.add(128 + 32 * half), 2 * k, 4, 48))
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    unsafe fn scales256(block: *const u8) -> [__m256; 2] {
        // SAFETY: as the caller promises; all within the block.
        let (scales, d) = unsafe {
            (_mm_loadu_si128(block.add(192).cast()), _mm256_set1_ps(half(block.add(208))))
        };
        let floats = |bytes| _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
        [_mm256_mul_ps(floats(scales), d), _mm256_mul_ps(floats(_mm_srli_si128::<8>(scales)), d)]
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512(block: *const u8) -> __m512 {
        // SAFETY: as the caller promises; all within the block.
        let (scales, d) = unsafe {
            (_mm_loadu_si128(block.add(192).cast()), _mm512_set1_ps(half(block.add(208))))
        };
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(scales)), d)
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_step(block: *const u8, step: usize) -> [__m512i; 2] {
        // SAFETY: as the caller promises; all within the block.
        let (bytes, bits) = unsafe {
            let bits = _mm256_loadu_si256(block.add(128 + 32 * step).cast());
            (_mm512_loadu_si512(block.add(64 * step).cast()), _mm512_broadcast_i64x4(bits))
        };
        let [low, high] = nibbles512(bytes);
        // To bits 4 and 5: from 0 and 2 for the first two groups, 4 and 6 for the others.
        let up = _mm512_sllv_epi16(bits, halves_of_words([4, 2]));
        let down = _mm512_srlv_epi16(bits, halves_of_words([0, 2]));
        [with_top(low, up), with_top(high, down)]
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(
        rows: &[&[u8]; LANES],
        at: usize,
        mut put: impl FnMut(usize, usize, __m512i),
    ) {
        for (part, half) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            // SAFETY: as the caller promises; all within the block.
            let take = |place: usize| unsafe { fours(rows, at + place + 16 * half) };
            let bits = take(128 + 32 * part);
            let (first, second) = (take(64 * part), take(64 * part + 32));
            for j in 0..4 {
                let (bits, to) = (bits[j], 4 * half + j);
                let ([a, c], [b, d]) = (nibbles512(first[j]), nibbles512(second[j]));
                put(4 * part, to, with_top(a, _mm512_slli_epi16::<4>(bits)));
                put(4 * part + 1, to, with_top(b, _mm512_slli_epi16::<2>(bits)));
                put(4 * part + 2, to, with_top(c, bits));
                put(4 * part + 3, to, with_top(d, _mm512_srli_epi16::<2>(bits)));
            }
        }
    }
}

/// Levels with bits 4 and 5 of other bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn with_top(levels: __m512i, bits: __m512i) -> __m512i {
    // a | (b & c)
    _mm512_ternarylogic_epi32::<0xf8>(levels, bits, _mm512_set1_epi8(48))
}
