//! Q5_1: halves `d` and `m`, then 32 levels of 5 bits as in Q5_0; a value is `d · level + m`.

use super::{half_at, q4_1, q5_0};

pub(super) const LEN: usize = 32;
pub(super) const BYTES: usize = 24;

#[inline(always)]
pub(super) fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
    let (d, m) = (half_at(block, 0), half_at(block, 2));
    let levels = q5_0::join(&block[4..]);
    for (value, level) in values.iter_mut().zip(levels) {
        *value = d * f32::from(level) + m;
    }
}

#[inline(always)]
pub(super) fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
    let levels = q4_1::levels(values, 31.0, block);
    q5_0::split(&levels, &mut block[4..]);
}
