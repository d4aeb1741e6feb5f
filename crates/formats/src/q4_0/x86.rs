//! Its levels in vectors of x86.

use super::Q4_0;
use crate::{
    short::x86::{four_bits, pack_four},
    x86::{LANES, Order, STEP, Vectors, nibbles},
};
use std::arch::x86_64::*;

impl Vectors for Q4_0 {
    const ORDER: Order = Order::Halves;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, _: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe { nibbles(block.add(2)) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_blocks(blocks: [*const u8; STEP]) -> [__m512i; 2] {
        // SAFETY: as the caller promises; all within the block.
        unsafe { four_bits(blocks, 2) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(rows: &[&[u8]; LANES], at: usize, put: impl FnMut(usize, usize, __m512i)) {
        // SAFETY: as the caller promises; all within the block.
        unsafe { pack_four(rows, at + 2, put) }
    }
}
