//! Activations to bytes, with AVX-512.

use super::{
    super::activations::{BYTE, Part, Place, Rule, Source, TILE, step},
    interleave512::interleave,
};
use bessemer_formats::{GROUP, Grouped};
use bessemer_simd::Isa;
use std::arch::x86_64::*;

/// The most groups that share a step.
const SPAN: usize = 4;

/// Quantises whole spans of groups of the rows of a tile. Those that are not finite are marked.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn quantise<F: Grouped>(
    _isa: Isa,
    rows: &[Source<'_>],
    rule: Rule,
    place: Place<'_>,
    finite: &mut [bool; TILE],
) {
    if rows.iter().all(|row| matches!(row.part, Part::Whole)) {
        quantise_parts::<F, true>(rows, rule, place, finite);
    } else {
        quantise_parts::<F, false>(rows, rule, place, finite);
    }
}

/// The same, where it is known whether all rows are [`Part::Whole`], so that vectors are not asked.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vnni")]
fn quantise_parts<F: Grouped, const WHOLE: bool>(
    rows: &[Source<'_>],
    rule: Rule,
    place: Place<'_>,
    finite: &mut [bool; TILE],
) {
    let Place { bytes, starts, sums, steps } = place;
    let (height, groups) = (rows.len(), rows[0].x.len() / GROUP);
    assert!(height <= TILE && rule.span <= SPAN && bytes.len() >= groups * GROUP * height);
    assert!(steps.len() >= groups * height && rows.iter().all(|row| row.x.len() >= groups * GROUP));
    assert!(if F::MINS { sums.len() } else { starts.len() / F::STARTS } >= groups * height);
    for first in (0..groups).step_by(rule.span) {
        let span = first..groups.min(first + rule.span);
        let mut levels = [[_mm256_setzero_si256(); TILE]; SPAN];
        for (row, &Source { x, part }) in rows.iter().enumerate() {
            let part = if WHOLE { Part::Whole } else { part };
            // SAFETY: half `half` of a group below `groups`.
            let load = |group: usize, half: usize| unsafe {
                _mm512_loadu_ps(x.as_ptr().add(group * GROUP + half * 16))
            };
            let mut top = _mm512_setzero_si512();
            for group in span.clone() {
                for half in 0..2 {
                    let bits = _mm512_castps_si512(load(group, half));
                    // Magnitudes order like their bits; what is not finite comes last.
                    let magnitudes = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff_ffff));
                    top = _mm512_max_epu32(top, magnitudes);
                }
            }
            let peak = f32::from_bits(_mm512_reduce_max_epu32(top));
            finite[row] &= peak.is_finite();
            let (step, inverse) = step(peak, BYTE);
            let usable = if inverse == 0.0 { 0 } else { !0 };
            let inverse = _mm512_set1_ps(inverse * part.finer());
            for (group, levels) in span.clone().zip(&mut levels) {
                let ints = |half: usize| {
                    let scaled = _mm512_maskz_mul_ps(usable, load(group, half), inverse);
                    _mm512_cvtepi32_epi8(bytes_of(part, _mm512_cvtps_epi32(scaled)))
                };
                levels[row] = _mm256_set_m128i(ints(1), ints(0));
                let (low, high) = sums_of_halves(levels[row]);
                let at = group * height + row;
                if F::MINS {
                    sums[at] = (low + high) as f32;
                } else if F::HALVES {
                    starts[2 * group * height + row] = rule.bias - rule.offset * low;
                    starts[(2 * group + 1) * height + row] = rule.bias - rule.offset * high;
                } else {
                    starts[at] = rule.bias - rule.offset * (low + high);
                }
                steps[at] = part.step(step);
            }
        }
        for (group, levels) in span.zip(&levels) {
            // SAFETY: the fours of a group, which are within the bytes.
            unsafe { interleave(levels, height, bytes.as_mut_ptr().add(group * GROUP * height)) };
        }
    }
}

/// The bytes of a part of levels.
#[inline]
#[target_feature(enable = "avx512f")]
fn bytes_of(part: Part, levels: __m512i) -> __m512i {
    let upper = || _mm512_srai_epi32::<8>(_mm512_add_epi32(levels, _mm512_set1_epi32(128)));
    match part {
        Part::Whole => levels,
        Part::Upper => upper(),
        Part::Lower => _mm512_sub_epi32(levels, _mm512_slli_epi32::<8>(upper())),
    }
}

/// The sums of the first and the last 16 bytes.
#[inline]
#[target_feature(enable = "avx2,avx512vl,avx512vnni")]
fn sums_of_halves(levels: __m256i) -> (i32, i32) {
    let fours = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), levels);
    let twos = _mm256_add_epi32(fours, _mm256_shuffle_epi32::<0b01_00_11_10>(fours));
    let halves = _mm256_add_epi32(twos, _mm256_shuffle_epi32::<0b10_11_00_01>(twos));
    (_mm256_extract_epi32::<0>(halves), _mm256_extract_epi32::<4>(halves))
}
