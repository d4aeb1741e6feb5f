//! Activations to integers of two bytes.

use super::{
    super::super::{
        activations::{Place, Rule, step},
        format::GROUP,
    },
    ACTIVATION,
};
use bessemer_simd::Isa;
use std::arch::x86_64::*;

/// Quantises whole groups of a row. Returns whether all is finite.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn quantise(_isa: Isa, x: &[f32], _rule: Rule, place: Place<'_>) -> bool {
    let Place { row, height, bytes, steps, .. } = place;
    let groups = x.len() / GROUP;
    assert!(row < height && bytes.len() >= 2 * groups * GROUP * height);
    assert!(steps.len() >= groups * height);
    let magnitude = _mm512_set1_epi32(0x7fff_ffff);
    let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let places = _mm512_mullo_epi32(places, _mm512_set1_epi32(height as i32));
    let mut all_finite = true;
    for group in 0..groups {
        // SAFETY: half a group below `groups`.
        let load =
            |half: usize| unsafe { _mm512_loadu_ps(x.as_ptr().add(group * GROUP + half * 16)) };
        let bits = |half: usize| _mm512_and_si512(_mm512_castps_si512(load(half)), magnitude);
        // Magnitudes order like their bits; what is not finite comes last.
        let peak = _mm512_reduce_max_epu32(_mm512_max_epu32(bits(0), bits(1)));
        let peak = f32::from_bits(peak);
        all_finite &= peak.is_finite();
        let (step, inverse) = step(peak, ACTIVATION);
        let usable = if inverse == 0.0 { 0 } else { !0 };
        let ints = |half: usize| {
            let scaled = _mm512_maskz_mul_ps(usable, load(half), _mm512_set1_ps(inverse));
            _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(scaled))
        };
        let levels = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(ints(0)), ints(1));
        // SAFETY: the pairs of one row of a group, which is within the bytes.
        unsafe {
            let to = bytes.as_mut_ptr().add((group * 16 * height + row) * 4);
            _mm512_i32scatter_epi32::<4>(to.cast(), places, levels);
        }
        steps[group * height + row] = step;
    }
    all_finite
}
