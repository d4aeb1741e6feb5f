//! What the kernels know of each block format at compile time, and its plain decoding.
//!
//! All formats are seen alike, in groups of 32 values: a value is `d · (level - OFFSET)`, plus a
//! minimum `m` where there are any. Levels are signed bytes, but for dense weights, which are two
//! bytes each and get a scale per group when they are unpacked.

use bessemer_core::{DType, blocks::unpack_k_scales};
use bessemer_simd::convert::f32_from_f16_bits;

/// Values that share a step of the activations, and (but for Q6_K) a scale of the weights.
pub(super) const GROUP: usize = 32;

/// A block format at compile time.
pub(super) trait Format: 'static {
    const DTYPE: DType;
    /// What is subtracted from levels.
    const OFFSET: i32;
    /// Whether groups have minima.
    const MINS: bool;
    /// Whether each half of a group has its own scale.
    const HALVES: bool;
    /// The largest magnitude of a level.
    const TOP: i32;

    /// Bytes of a level when it is unpacked, and of an activation that meets it.
    const LEVEL: usize = 1;
    /// Groups in a block.
    const GROUPS: usize = Self::DTYPE.block_len() / GROUP;
    /// Bytes of a block.
    const BYTES: usize = Self::DTYPE.block_bytes();
    /// Scales (and minima) of a group.
    const SCALES: usize = if Self::MINS || Self::HALVES { 2 } else { 1 };
    /// Sums of activations that offsets need, per group.
    const STARTS: usize = if Self::HALVES { 2 } else { 1 };
}

macro_rules! formats {
    ($($name:ident: offset $offset:literal, mins $mins:literal, halves $halves:literal, top $top:literal;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) struct $name;

        impl Format for $name {
            const DTYPE: DType = DType::$name;
            const OFFSET: i32 = $offset;
            const MINS: bool = $mins;
            const HALVES: bool = $halves;
            const TOP: i32 = $top;
        }
    )*};
}

formats! {
    Q4_0: offset 8, mins false, halves false, top 15;
    Q4_1: offset 0, mins true, halves false, top 15;
    Q5_0: offset 16, mins false, halves false, top 31;
    Q5_1: offset 0, mins true, halves false, top 31;
    Q8_0: offset 0, mins false, halves false, top 128;
    Q4_K: offset 0, mins true, halves false, top 15;
    Q5_K: offset 0, mins true, halves false, top 31;
    Q6_K: offset 32, mins false, halves true, top 63;
}

/// Dense weights as if they came in blocks of a group, for kernels that make integers of them.
#[cfg(target_arch = "x86_64")]
macro_rules! dense {
    ($($name:ident)*) => {$(
        pub(super) struct $name;

        impl Format for $name {
            const DTYPE: DType = DType::$name;
            const OFFSET: i32 = 0;
            const MINS: bool = false;
            const HALVES: bool = false;
            const TOP: i32 = 8191;
            const LEVEL: usize = 2;
            const GROUPS: usize = 1;
            const BYTES: usize = 2 * GROUP;
            const STARTS: usize = 0;
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
dense!(F16 BF16);

/// The half at byte `at` of a block.
#[inline(always)]
fn half(block: &[u8], at: usize) -> f32 {
    f32_from_f16_bits(u16::from_le_bytes([block[at], block[at + 1]]))
}

/// The scales of group `group` of a block: `[d, m]` where there are minima, both halves' `d`
/// where these have their own, else `[d, _]`.
#[inline(always)]
pub(super) fn scales<F: Format>(block: &[u8], group: usize) -> [f32; 2] {
    match F::DTYPE {
        DType::Q4_0 | DType::Q5_0 | DType::Q8_0 => [half(block, 0), 0.0],
        DType::Q4_1 | DType::Q5_1 => [half(block, 0), half(block, 2)],
        _ => block_scales::<F>(block)[group],
    }
}

/// The same for all groups of a block of 256.
#[inline(always)]
pub(super) fn block_scales<F: Format>(block: &[u8]) -> [[f32; 2]; 8] {
    if F::HALVES {
        let d = half(block, 208);
        let scale = |i: usize| d * f32::from(block[192 + i] as i8);
        return std::array::from_fn(|i| [scale(2 * i), scale(2 * i + 1)]);
    }
    let (d, dmin) = (half(block, 0), half(block, 2));
    let (scales, mins) = unpack_k_scales(block[4..16].try_into().expect("12 bytes"));
    std::array::from_fn(|i| [d * f32::from(scales[i]), -dmin * f32::from(mins[i])])
}

/// The levels of group `group` of a block.
#[inline(always)]
pub(super) fn levels<F: Format>(block: &[u8], group: usize) -> [i8; GROUP] {
    let mut levels = [0; GROUP];
    let nibbles = |levels: &mut [i8; GROUP], bytes: &[u8]| {
        for i in 0..16 {
            levels[i] = (bytes[i] & 15) as i8;
            levels[i + 16] = (bytes[i] >> 4) as i8;
        }
    };
    let fifths = |levels: &mut [i8; GROUP], bits: &[u8]| {
        for (i, level) in levels.iter_mut().enumerate() {
            *level |= ((bits[i / 8] >> (i % 8) & 1) << 4) as i8;
        }
    };
    match F::DTYPE {
        DType::Q4_0 => nibbles(&mut levels, &block[2..18]),
        DType::Q4_1 => nibbles(&mut levels, &block[4..20]),
        DType::Q5_0 => {
            nibbles(&mut levels, &block[6..22]);
            fifths(&mut levels, &block[2..6]);
        }
        DType::Q5_1 => {
            nibbles(&mut levels, &block[8..24]);
            fifths(&mut levels, &block[4..8]);
        }
        DType::Q8_0 => levels.iter_mut().zip(&block[2..34]).for_each(|(to, &x)| *to = x as i8),
        DType::Q4_K | DType::Q5_K => {
            let start = F::BYTES - 128;
            let low = &block[start + 32 * (group / 2)..][..32];
            for (i, level) in levels.iter_mut().enumerate() {
                *level = (low[i] >> (4 * (group % 2)) & 15) as i8;
                if F::DTYPE == DType::Q5_K {
                    *level |= ((block[16 + i] >> group & 1) << 4) as i8;
                }
            }
        }
        _ => {
            let (half, k) = (group / 4, group % 4);
            let low = &block[64 * half + 32 * (k % 2)..][..32];
            let high = &block[128 + 32 * half..][..32];
            for (i, level) in levels.iter_mut().enumerate() {
                *level = (low[i] >> (4 * (k / 2)) & 15 | (high[i] >> (2 * k) & 3) << 4) as i8;
            }
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<F: Format>() {
        let mut state = 5u32;
        let mut block = vec![0u8; F::BYTES];
        for byte in &mut block {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            // Below 0x78 in the high byte of a half: finite.
            *byte = (state >> 24) as u8 & 0x77;
        }
        let mut want = vec![0.0; F::DTYPE.block_len()];
        bessemer_core::blocks::decode(F::DTYPE, &block, &mut want);
        for (group, want) in want.chunks(GROUP).enumerate() {
            let [d, m] = scales::<F>(&block, group);
            for (i, level) in levels::<F>(&block, group).into_iter().enumerate() {
                let d = if F::HALVES && i >= 16 { m } else { d };
                let m = if F::MINS { m } else { 0.0 };
                assert_eq!(d * (f32::from(level) - F::OFFSET as f32) + m, want[i], "{}", F::DTYPE);
            }
        }
    }

    #[test]
    fn groups_mean_what_blocks_mean() {
        agrees::<Q4_0>();
        agrees::<Q4_1>();
        agrees::<Q5_0>();
        agrees::<Q5_1>();
        agrees::<Q8_0>();
        agrees::<Q4_K>();
        agrees::<Q5_K>();
        agrees::<Q6_K>();
    }
}
