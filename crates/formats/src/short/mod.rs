//! What the formats of one group share: scales first, then 16 bytes with the low bits of 32 levels.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::GROUP;

/// The scales of a block of one group.
#[inline(always)]
pub(crate) fn first(scales: [f32; 2]) -> [[f32; 2]; 8] {
    let mut all = [[0.0; 2]; 8];
    all[0] = scales;
    all
}

/// 16 bytes: the low halves, then the high ones.
#[inline(always)]
pub(crate) fn nibbles(bytes: &[u8]) -> [i8; GROUP] {
    let mut levels = [0; GROUP];
    for i in 0..16 {
        levels[i] = (bytes[i] & 15) as i8;
        levels[i + 16] = (bytes[i] >> 4) as i8;
    }
    levels
}
