//! Its levels in vectors of Arm.

use super::Q3_K;
use crate::arm::{Vectors, bits, signed, with};
use std::arch::aarch64::*;

impl Vectors for Q3_K {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, group: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe {
            let low = bits(block.add(32 + 32 * (group / 4)), -2 * (group % 4) as i8, 3);
            // Bit `group` of each byte to bit 2.
            with(low, bits(block, 2 - group as i8, 4))
        })
    }
}
