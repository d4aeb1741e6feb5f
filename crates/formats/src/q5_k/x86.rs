//! Its levels and scales in vectors of x86.

use super::{BYTES, Q5_K};
use crate::{
    k_scales::x86,
    x86::{LANES, Order, Vectors, fifth, half_bytes, nibbles512, shifted_bits},
};
use std::arch::x86_64::*;

impl Vectors for Q5_K {
    const ORDER: Order = Order::Turns;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, group: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        unsafe {
            let low = half_bytes(block.add(48 + 32 * (group / 2)), group % 2 * 4);
            // Bit `group` of each byte to bit 4.
            _mm256_or_si256(low, shifted_bits(block.add(16), group, 4, 16))
        }
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
        let (bytes, bits) = unsafe {
            let bits = _mm512_broadcast_i64x4(_mm256_loadu_si256(block.add(16).cast()));
            (_mm512_loadu_si512(block.add(48 + 64 * step).cast()), bits)
        };
        let [low, high] = nibbles512(bytes);
        // Bits 4·step and up belong to the groups of the step, which take turns.
        let two = |bit: usize| {
            let low = _mm256_set1_epi8((1u8 << (4 * step + bit)) as i8);
            let high = _mm256_set1_epi8((1u8 << (4 * step + bit + 2)) as i8);
            _mm512_test_epi8_mask(bits, _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high))
        };
        [fifth(low, two(0)), fifth(high, two(1))]
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(rows: &[&[u8]; LANES], at: usize, put: impl FnMut(usize, usize, __m512i)) {
        // SAFETY: as the caller promises; all within the block.
        unsafe { x86::pack(rows, at + 48, Some(at + 16), put) }
    }
}
