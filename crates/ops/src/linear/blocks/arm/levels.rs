//! The 32 levels of a group in two vectors.

use super::super::format::Format;
use bessemer_core::DType;
use std::arch::aarch64::*;

/// The levels of group `group` of the block at `block`.
///
/// # Safety
/// A whole block must be there.
#[inline(always)]
pub(super) unsafe fn levels<F: Format>(block: *const u8, group: usize) -> [int8x16_t; 2] {
    // SAFETY: all within the block, whose length each format's offsets are made for.
    unsafe {
        let [low, high] = match F::DTYPE {
            DType::Q8_0 => [vld1q_u8(block.add(2)), vld1q_u8(block.add(18))],
            DType::Q4_K => half_bytes(block.add(16 + 32 * (group / 2)), group % 2 * 4),
            DType::Q5_K => {
                let levels = half_bytes(block.add(48 + 32 * (group / 2)), group % 2 * 4);
                // Bit `group` of each byte to bit 4.
                with_bits(levels, block.add(16), 4 - group as i8, 16)
            }
            DType::Q6_K => {
                let (half, k) = (group / 4, group % 4);
                let levels = half_bytes(block.add(64 * half + 32 * (k % 2)), k / 2 * 4);
                // Bits `2k` and `2k + 1` of each byte to bits 4 and 5.
                with_bits(levels, block.add(128 + 32 * half), 4 - 2 * k as i8, 48)
            }
            _ => {
                let bytes = vld1q_u8(block.add(F::BYTES - 16));
                let levels = [vandq_u8(bytes, vdupq_n_u8(15)), vshrq_n_u8::<4>(bytes)];
                if F::TOP > 15 { with_fifths(levels, block.add(F::BYTES - 20)) } else { levels }
            }
        };
        [vreinterpretq_s8_u8(low), vreinterpretq_s8_u8(high)]
    }
}

/// 32 bytes: the low halves, or with a shift of 4 the high ones.
#[inline(always)]
unsafe fn half_bytes(bytes: *const u8, shift: usize) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let (fifteen, shift) = (vdupq_n_u8(15), vdupq_n_s8(-(shift as i8)));
        let half = |at: usize| vandq_u8(vshlq_u8(vld1q_u8(bytes.add(at)), shift), fifteen);
        [half(0), half(16)]
    }
}

/// Adds some bits of 32 bytes, shifted up (or down, if negative).
#[inline(always)]
unsafe fn with_bits(
    levels: [uint8x16_t; 2],
    bytes: *const u8,
    shift: i8,
    mask: u8,
) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let (mask, shift) = (vdupq_n_u8(mask), vdupq_n_s8(shift));
        let bits = |at: usize| vandq_u8(vshlq_u8(vld1q_u8(bytes.add(at)), shift), mask);
        [vorrq_u8(levels[0], bits(0)), vorrq_u8(levels[1], bits(16))]
    }
}

/// Adds 16 where one of 32 bits is set.
#[inline(always)]
unsafe fn with_fifths(levels: [uint8x16_t; 2], bits: *const u8) -> [uint8x16_t; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let each = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let fifths = |at: usize| {
            let bytes = vcombine_u8(vld1_dup_u8(bits.add(at)), vld1_dup_u8(bits.add(at + 1)));
            vandq_u8(vtstq_u8(bytes, each), vdupq_n_u8(16))
        };
        [vorrq_u8(levels[0], fifths(0)), vorrq_u8(levels[1], fifths(2))]
    }
}
