//! Its levels in vectors of Arm.

use super::Q5_1;
use crate::arm::{Vectors, fifths, nibbles, signed, with};
use std::arch::aarch64::*;

impl Vectors for Q5_1 {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, _: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe { with(nibbles(block.add(8)), fifths(block.add(4))) })
    }
}
