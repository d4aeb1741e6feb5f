//! Activations to integers of two bytes.

use super::{
    super::{
        super::activations::{Place, Rule, Source, TILE, step},
        interleave512::interleave,
    },
    ACTIVATION,
};
use bessemer_formats::GROUP;
use bessemer_simd::Isa;
use std::arch::x86_64::*;

/// Quantises whole groups of the rows of a tile. Those that are not finite are marked.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn quantise(
    _isa: Isa,
    rows: &[Source<'_>],
    _rule: Rule,
    place: Place<'_>,
    finite: &mut [bool; TILE],
) {
    let Place { bytes, steps, .. } = place;
    let (height, groups) = (rows.len(), rows[0].x.len() / GROUP);
    assert!(height <= TILE && bytes.len() >= 2 * groups * GROUP * height);
    assert!(steps.len() >= groups * height && rows.iter().all(|row| row.x.len() >= groups * GROUP));
    for group in 0..groups {
        let mut halves = [[_mm256_setzero_si256(); TILE]; 2];
        for (row, Source { x, .. }) in rows.iter().enumerate() {
            // SAFETY: half a group below `groups`.
            let load =
                |half: usize| unsafe { _mm512_loadu_ps(x.as_ptr().add(group * GROUP + half * 16)) };
            let bits = |half: usize| {
                _mm512_and_si512(_mm512_castps_si512(load(half)), _mm512_set1_epi32(0x7fff_ffff))
            };
            // Magnitudes order like their bits; what is not finite comes last.
            let peak = _mm512_reduce_max_epu32(_mm512_max_epu32(bits(0), bits(1)));
            let peak = f32::from_bits(peak);
            finite[row] &= peak.is_finite();
            let (step, inverse) = step(peak, ACTIVATION);
            let usable = if inverse == 0.0 { 0 } else { !0 };
            for (half, levels) in halves.iter_mut().enumerate() {
                let scaled = _mm512_maskz_mul_ps(usable, load(half), _mm512_set1_ps(inverse));
                levels[row] = _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(scaled));
            }
            steps[group * height + row] = step;
        }
        for (half, levels) in halves.iter().enumerate() {
            // SAFETY: half the pairs of a group, which are within the bytes.
            unsafe {
                interleave(
                    levels,
                    height,
                    bytes.as_mut_ptr().add((2 * group + half) * GROUP * height),
                );
            }
        }
    }
}
