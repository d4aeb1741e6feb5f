//! Its levels in vectors of x86.

use super::Q5_1;
use crate::{
    short::x86::{five_bits, pack_five},
    x86::{LANES, Order, STEP, Vectors, fifths, nibbles},
};
use std::arch::x86_64::*;

impl Vectors for Q5_1 {
    const ORDER: Order = Order::Halves;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, _: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe { _mm256_or_si256(nibbles(block.add(8)), fifths(block.add(4))) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_blocks(blocks: [*const u8; STEP]) -> [__m512i; 2] {
        // SAFETY: as the caller promises; all within the block.
        unsafe { five_bits(blocks, 8) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(rows: &[&[u8]; LANES], at: usize, put: impl FnMut(usize, usize, __m512i)) {
        // SAFETY: as the caller promises; all within the block.
        unsafe { pack_five(rows, at + 8, put) }
    }
}
