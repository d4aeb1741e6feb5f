//! Q8_0: a half `d`, then 32 signed bytes; a value is `d · byte`.

use super::{fit, half_at, put_half};

pub(super) const LEN: usize = 32;
pub(super) const BYTES: usize = 34;

#[inline(always)]
pub(super) fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
    let d = half_at(block, 0);
    for (value, &byte) in values.iter_mut().zip(&block[2..]) {
        *value = d * f32::from(byte as i8);
    }
}

/// The peak becomes ±127: with 8 bits a search for a better scale gains next to nothing, and
/// this one costs no more than a copy.
#[inline(always)]
pub(super) fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
    block.fill(0);
    match fit::range(values) {
        fit::Range::NotFinite => {
            put_half(block, 0, f32::NAN);
        }
        fit::Range::Zero => {}
        fit::Range::Peak(peak) => {
            let d = (peak / 127.0).min(65504.0);
            put_half(block, 0, d);
            let inverse = 1.0 / d;
            for (byte, &x) in block[2..].iter_mut().zip(values) {
                let x = (x * inverse).clamp(-127.0, 127.0);
                // Halves away from zero: the largest float below 0.5 keeps 0.49999997 at 0.
                *byte = (x + 0.499_999_97_f32.copysign(x)) as i8 as u8;
            }
        }
    }
}
