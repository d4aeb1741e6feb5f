//! Its levels in vectors of Arm.

use super::Q8_0;
use crate::arm::{Vectors, signed};
use std::arch::aarch64::*;

impl Vectors for Q8_0 {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, _: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        signed(unsafe { [vld1q_u8(block.add(2)), vld1q_u8(block.add(18))] })
    }
}
