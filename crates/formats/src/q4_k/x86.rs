//! Its levels and scales in vectors of x86.

use super::{BYTES, Q4_K};
use crate::{
    k_scales::x86,
    x86::{LANES, Order, Vectors, half_bytes, nibbles512},
};
use std::arch::x86_64::*;

impl Vectors for Q4_K {
    const ORDER: Order = Order::Turns;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, group: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe { half_bytes(block.add(16 + 32 * (group / 2)), group % 2 * 4) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    unsafe fn scales256(block: *const u8) -> [__m256; 2] {
        // SAFETY: as the caller promises; all within the block.
        unsafe { x86::scales256(block) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512(block: *const u8) -> __m512 {
        // SAFETY: as the caller promises; all within the block.
        unsafe { x86::scales512(block) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512_of_two(blocks: *const u8) -> (__m512, __m512) {
        // SAFETY: as the caller promises; all within the block.
        unsafe { x86::scales_of_two(blocks, BYTES) }
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_step(block: *const u8, step: usize) -> [__m512i; 2] {
        // SAFETY: as the caller promises; all within the block.
        nibbles512(unsafe { _mm512_loadu_si512(block.add(16 + 64 * step).cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(rows: &[&[u8]; LANES], at: usize, put: impl FnMut(usize, usize, __m512i)) {
        // SAFETY: as the caller promises; all within the block.
        unsafe { x86::pack(rows, at + 16, None, put) }
    }
}
