//! Halves within blocks.

use bessemer_simd::convert::f32_from_f16_bits;
use half::f16;

/// The half at byte `at` of a block.
#[inline(always)]
pub(crate) fn half_at(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// The same without a branch, for kernels.
#[inline(always)]
pub(crate) fn scale_at(block: &[u8], at: usize) -> f32 {
    f32_from_f16_bits(u16::from_le_bytes([block[at], block[at + 1]]))
}

/// Stores a half at byte `at` of a block and returns what was stored. Too large a number
/// becomes the largest half.
#[inline(always)]
pub(crate) fn put_half(block: &mut [u8], at: usize, value: f32) -> f32 {
    let half = f16::from_f32(value.clamp(-65504.0, 65504.0));
    block[at..at + 2].copy_from_slice(&half.to_le_bytes());
    half.to_f32()
}
