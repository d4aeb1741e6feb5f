//! Q4_K: halves `d` and `dmin`, eight 6-bit scales and minima, then 256 levels of 4 bits. A value
//! of group `i` (of 32) is `d · scale[i] · level - dmin · min[i]`. Of each 32 bytes, the low halves
//! are one group and the high halves the next.

use super::k_scales;

pub(super) const LEN: usize = 256;
pub(super) const BYTES: usize = 144;

#[inline(always)]
pub(super) fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
    let groups = k_scales::decode(block);
    for i in 0..4 {
        let (low, high) = (groups[2 * i], groups[2 * i + 1]);
        for j in 0..32 {
            let byte = block[16 + 32 * i + j];
            values[64 * i + j] = low.0 * f32::from(byte & 15) - low.1;
            values[64 * i + 32 + j] = high.0 * f32::from(byte >> 4) - high.1;
        }
    }
}

#[inline(always)]
pub(super) fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
    let levels = k_scales::encode(values, 15.0, &mut block[..16]);
    for i in 0..4 {
        for j in 0..32 {
            block[16 + 32 * i + j] = levels[64 * i + j] | levels[64 * i + 32 + j] << 4;
        }
    }
}
