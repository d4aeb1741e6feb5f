//! The vector kernels' unpacking on Arm: Advanced SIMD, which every machine of this architecture has.
//!
//! What a format leaves out is made from what plain Rust gives.

use crate::Format;
use std::{arch::aarch64::*, slice};

/// How levels come into vectors.
pub trait Vectors {
    /// The levels of a group of the block at `block`.
    ///
    /// # Safety
    /// A whole block must be there.
    #[inline(always)]
    unsafe fn levels128(block: *const u8, group: usize) -> [int8x16_t; 2]
    where
        Self: Format,
    {
        // SAFETY: as the caller promises; the array is 32 bytes.
        unsafe {
            let levels = Self::levels(slice::from_raw_parts(block, Self::BYTES), group);
            [vld1q_s8(levels.as_ptr()), vld1q_s8(levels.as_ptr().add(16))]
        }
    }
}

/// Bytes as levels.
#[inline(always)]
pub(crate) fn signed([low, high]: [uint8x16_t; 2]) -> [int8x16_t; 2] {
    // SAFETY: nothing but another name for the same bits.
    unsafe { [vreinterpretq_s8_u8(low), vreinterpretq_s8_u8(high)] }
}

/// 16 bytes: the low halves, then the high ones.
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
pub(crate) unsafe fn nibbles(bytes: *const u8) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let bytes = vld1q_u8(bytes);
        [vandq_u8(bytes, vdupq_n_u8(15)), vshrq_n_u8::<4>(bytes)]
    }
}

/// 32 bytes: the low halves, or with a shift of 4 the high ones.
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
pub(crate) unsafe fn half_bytes(bytes: *const u8, shift: usize) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe { bits(bytes, -(shift as i8), 15) }
}

/// Some bits of 32 bytes, shifted up (or down, if negative).
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
pub(crate) unsafe fn bits(bytes: *const u8, shift: i8, mask: u8) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let (mask, shift) = (vdupq_n_u8(mask), vdupq_n_s8(shift));
        let bits = |at: usize| vandq_u8(vshlq_u8(vld1q_u8(bytes.add(at)), shift), mask);
        [bits(0), bits(16)]
    }
}

/// Two sets of bits together.
#[inline(always)]
pub(crate) fn with(levels: [uint8x16_t; 2], more: [uint8x16_t; 2]) -> [uint8x16_t; 2] {
    // SAFETY: arithmetic on registers.
    unsafe { [vorrq_u8(levels[0], more[0]), vorrq_u8(levels[1], more[1])] }
}

/// 16 where one of 32 bits is set.
///
/// # Safety
/// Four bytes must be there.
#[inline(always)]
pub(crate) unsafe fn fifths(bits: *const u8) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let each = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let fifths = |at: usize| {
            let bytes = vcombine_u8(vld1_dup_u8(bits.add(at)), vld1_dup_u8(bits.add(at + 1)));
            vandq_u8(vtstq_u8(bytes, each), vdupq_n_u8(16))
        };
        [fifths(0), fifths(2)]
    }
}
