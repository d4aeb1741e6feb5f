//! Its levels in vectors of Arm.

use super::Q6_K;
use crate::arm::{Vectors, bits, half_bytes, signed, with};
use std::arch::aarch64::*;

impl Vectors for Q6_K {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, group: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe {
            let (half, k) = (group / 4, group % 4);
            let low = half_bytes(block.add(64 * half + 32 * (k % 2)), k / 2 * 4);
            // Bits `2k` and `2k + 1` of each byte to bits 4 and 5.
            with(low, bits(block.add(128 + 32 * half), 4 - 2 * k as i8, 48))
        })
    }
}
