//! Its levels in vectors of Arm.

use super::Q4_K;
use crate::arm::{Vectors, half_bytes, signed};
use std::arch::aarch64::*;

impl Vectors for Q4_K {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, group: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe { half_bytes(block.add(16 + 32 * (group / 2)), group % 2 * 4) })
    }
}
