//! Its levels in vectors of x86. AVX-512 takes levels as unsigned: they are raised by 128.

use super::Q8_0;
use crate::x86::{LANES, Order, STEP, Vectors, fours};
use std::arch::x86_64::*;

impl Vectors for Q8_0 {
    const ORDER: Order = Order::Natural;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, _: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe { _mm256_loadu_si256(block.add(2).cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_blocks(blocks: [*const u8; STEP]) -> [__m512i; 2] {
        let flip = _mm512_set1_epi8(-128);
        let two = |i: usize| {
            // SAFETY: as the caller promises; all within the block.
            let at = |i: usize| unsafe { _mm256_loadu_si256(blocks[i].add(2).cast()) };
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(at(i)), at(i + 1));
            _mm512_xor_si512(both, flip)
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
            let levels = unsafe { fours(rows, at + 2 + 16 * half) };
            for (j, levels) in levels.into_iter().enumerate() {
                put(0, 4 * half + j, _mm512_xor_si512(levels, _mm512_set1_epi8(-128)));
            }
        }
    }
}
