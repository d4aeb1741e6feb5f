//! Its levels in vectors of Arm.

use super::Q4_0;
use crate::arm::{Vectors, nibbles, signed};
use std::arch::aarch64::*;

impl Vectors for Q4_0 {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, _: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe { nibbles(block.add(2)) })
    }
}
