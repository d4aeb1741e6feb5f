//! Its levels in vectors of Arm.

use super::Q5_K;
use crate::arm::{Vectors, bits, half_bytes, signed, with};
use std::arch::aarch64::*;

impl Vectors for Q5_K {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, group: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe {
            let low = half_bytes(block.add(48 + 32 * (group / 2)), group % 2 * 4);
            // Bit `group` of each byte to bit 4.
            with(low, bits(block.add(16), 4 - group as i8, 16))
        })
    }
}
