//! Its levels in vectors of Arm: the book is a table of 16 bytes, which is what shuffles look up.

use super::{BOOK, IQ4_NL};
use crate::arm::{Vectors, nibbles};
use std::arch::aarch64::*;

impl Vectors for IQ4_NL {
    #[inline(always)]
    unsafe fn levels128(block: *const u8, _: usize) -> [int8x16_t; 2] {
        // SAFETY: as the caller promises; all within the block.
        unsafe {
            let book = vld1q_s8(BOOK.as_ptr());
            nibbles(block.add(2)).map(|numbers| vqtbl1q_s8(book, numbers))
        }
    }
}
