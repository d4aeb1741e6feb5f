//! How Q4_K and Q5_K pack eight scales and eight minima of 6 bits into 12 bytes, and the search
//! both encoders share.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::{
    GROUP,
    fit::{self, affine, inverse, level},
    halves::{half_at, put_half, scale_at},
};

/// The eight scales and the eight minima of a Q4_K or Q5_K block.
#[inline(always)]
pub(crate) fn unpack(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    // Four bytes at a time: each of the first eight holds 6 bits of one number and 2 of another.
    let word =
        |i: usize| u32::from_le_bytes([packed[i], packed[i + 1], packed[i + 2], packed[i + 3]]);
    let (a, b, c) = (word(0), word(4), word(8));
    let sixes = |x: u32| u64::from(x & 0x3f3f_3f3f);
    let fours = |x: u32| x & 0x0f0f_0f0f;
    let twos = |x: u32| (x >> 6 & 0x0303_0303) << 4;
    let scales = sixes(a) | u64::from(fours(c) | twos(a)) << 32;
    let mins = sixes(b) | u64::from(fours(c >> 4) | twos(b)) << 32;
    (scales.to_le_bytes(), mins.to_le_bytes())
}

fn pack(scales: &[u8; 8], mins: &[u8; 8]) -> [u8; 12] {
    let mut packed = [0; 12];
    for i in 0..4 {
        packed[i] = scales[i] | scales[i + 4] >> 4 << 6;
        packed[i + 4] = mins[i] | mins[i + 4] >> 4 << 6;
        packed[i + 8] = scales[i + 4] & 15 | mins[i + 4] << 4;
    }
    packed
}

/// Writes the 16 bytes that Q4_K and Q5_K blocks start with, and returns the level (`0..=n`) of
/// each value.
#[inline(always)]
pub(crate) fn encode(values: &[f32; 256], n: f32, head: &mut [u8]) -> [u8; 256] {
    let mut levels = [0; 256];
    head.fill(0);
    let peak = match fit::range(values) {
        fit::Range::NotFinite => {
            put_half(head, 0, f32::NAN);
            return levels;
        }
        fit::Range::Zero => return levels,
        fit::Range::Peak(peak) => peak,
    };
    let scaled: [f32; 256] = std::array::from_fn(|i| values[i] * (1.0 / peak));
    let (groups, _) = scaled.as_chunks::<32>();
    let (mut steps, mut lows) = ([0.0; 8], [0.0; 8]);
    for (i, group) in groups.iter().enumerate() {
        let (step, low) = affine(group, n, true);
        (steps[i], lows[i]) = (step.max(0.0), -low.min(0.0));
    }
    let top = |of: &[f32; 8]| of.iter().fold(0f32, |a, &b| a.max(b));
    let (top_step, top_low) = (top(&steps), top(&lows));
    let d = put_half(head, 0, top_step * peak / 63.0) / peak;
    let dmin = put_half(head, 2, top_low * peak / 63.0) / peak;
    let (mut scales, mut mins) = ([0; 8], [0; 8]);
    for (i, group) in groups.iter().enumerate() {
        scales[i] = level(steps[i], inverse(d), 0.0, 63.0) as u8;
        mins[i] = level(lows[i], inverse(dmin), 0.0, 63.0) as u8;
        let (step, low) = (d * f32::from(scales[i]), dmin * f32::from(mins[i]));
        for (out, x) in levels[i * 32..][..32].iter_mut().zip(group) {
            *out = level(x + low, inverse(step), 0.0, n) as u8;
        }
    }
    head[4..16].copy_from_slice(&pack(&scales, &mins));
    levels
}

/// The step and the start of each of the eight groups of a Q4_K or Q5_K block.
#[inline(always)]
pub(crate) fn decode(head: &[u8]) -> [(f32, f32); 8] {
    let (d, dmin) = (half_at(head, 0), half_at(head, 2));
    let (scales, mins) = unpack(head[4..16].try_into().expect("12 bytes"));
    std::array::from_fn(|i| (d * f32::from(scales[i]), dmin * f32::from(mins[i])))
}

/// The same for kernels, with minima below zero.
#[inline(always)]
pub(crate) fn scales(head: &[u8]) -> [[f32; 2]; 8] {
    let (d, dmin) = (scale_at(head, 0), scale_at(head, 2));
    let (scales, mins) = unpack(head[4..16].try_into().expect("12 bytes"));
    std::array::from_fn(|i| [d * f32::from(scales[i]), -dmin * f32::from(mins[i])])
}

/// The low four bits of the levels of a group: of each 32 bytes, the low halves are one group and the
/// high halves the next.
#[inline(always)]
pub(crate) fn nibbles(bytes: &[u8], group: usize) -> [i8; GROUP] {
    let low = &bytes[32 * (group / 2)..][..32];
    std::array::from_fn(|i| (low[i] >> (4 * (group % 2)) & 15) as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_round_trips() {
        for seed in 0..64usize {
            let scales = std::array::from_fn(|i| (seed * 7 + i * 9) as u8 & 63);
            let mins = std::array::from_fn(|i| (seed * 5 + i * 11) as u8 & 63);
            assert_eq!(unpack(&pack(&scales, &mins)), (scales, mins));
        }
    }
}
