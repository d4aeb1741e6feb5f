//! Activations to bytes, with AVX-512.

use super::super::{
    activations::{BYTE, Place, Rule, step},
    format::{Format, GROUP},
};
use bessemer_simd::Isa;
use std::arch::x86_64::*;

/// Quantises whole spans of groups of a row. Returns whether all is finite.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn quantise<F: Format>(_isa: Isa, x: &[f32], rule: Rule, place: Place<'_>) -> bool {
    let Place { row, height, bytes, starts, sums, steps } = place;
    let groups = x.len() / GROUP;
    assert!(row < height && bytes.len() >= groups * GROUP * height);
    assert!(steps.len() >= groups * height);
    assert!(if F::MINS { sums.len() } else { starts.len() / F::STARTS } >= groups * height);
    let magnitude = _mm512_set1_epi32(0x7fff_ffff);
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let places = _mm256_mullo_epi32(places, _mm256_set1_epi32(height as i32));
    let mut all_finite = true;
    for first in (0..groups).step_by(rule.span) {
        let span = first..groups.min(first + rule.span);
        // SAFETY: half `half` of a group below `groups`.
        let load = |group: usize, half: usize| unsafe {
            _mm512_loadu_ps(x.as_ptr().add(group * GROUP + half * 16))
        };
        let mut top = _mm512_setzero_si512();
        for group in span.clone() {
            for half in 0..2 {
                let bits = _mm512_castps_si512(load(group, half));
                // Magnitudes order like their bits; what is not finite comes last.
                top = _mm512_max_epu32(top, _mm512_and_si512(bits, magnitude));
            }
        }
        let peak = f32::from_bits(_mm512_reduce_max_epu32(top));
        all_finite &= peak.is_finite();
        let (step, inverse) = step(peak, BYTE);
        let usable = if inverse == 0.0 { 0 } else { !0 };
        let inverse = _mm512_set1_ps(inverse);
        for group in span {
            let ints = |half: usize| {
                let scaled = _mm512_maskz_mul_ps(usable, load(group, half), inverse);
                _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(scaled))
            };
            let levels = _mm256_set_m128i(ints(1), ints(0));
            let fours = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), levels);
            let twos = _mm256_add_epi32(fours, _mm256_shuffle_epi32::<0b01_00_11_10>(fours));
            let halves = _mm256_add_epi32(twos, _mm256_shuffle_epi32::<0b10_11_00_01>(twos));
            let (low, high) =
                (_mm256_extract_epi32::<0>(halves), _mm256_extract_epi32::<4>(halves));
            // SAFETY: the fours of one row of a group, which is within the bytes.
            unsafe {
                let to = bytes.as_mut_ptr().add((group * 8 * height + row) * 4);
                if height == 1 {
                    _mm256_storeu_si256(to.cast(), levels);
                } else {
                    _mm256_i32scatter_epi32::<4>(to.cast(), places, levels);
                }
            }
            let at = group * height + row;
            if F::MINS {
                sums[at] = (low + high) as f32;
            } else if F::HALVES {
                starts[2 * group * height + row] = rule.bias - rule.offset * low;
                starts[(2 * group + 1) * height + row] = rule.bias - rule.offset * high;
            } else {
                starts[at] = rule.bias - rule.offset * (low + high);
            }
            steps[at] = step;
        }
    }
    all_finite
}
