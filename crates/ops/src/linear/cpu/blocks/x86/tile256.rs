//! AVX2: one row by 32 columns at a time, the weights from the first-level cache.

use super::super::{
    activations::Tile,
    panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
};
use bessemer_formats::{GROUP, Grouped};
use std::arch::x86_64::*;

/// Vectors of 8 columns in a panel.
const PARTS: usize = WIDTH / 8;

#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply<F: Grouped>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool) {
    if fresh {
        sums.fill(0.0);
    }
    let (groups, height) = (panel.groups, x.height);
    assert!(panel.levels.len() >= groups * STRIPS * STRIP_BYTES);
    assert!(panel.scales.len() >= groups * WIDTH * F::SCALES);
    assert!(x.bytes.len() >= groups * GROUP * height && sums.len() >= height * WIDTH);
    for group in 0..groups {
        let scale = |part: usize, which: usize| {
            let at = ((group * STRIPS + part / 2) * F::SCALES + which) * STRIP + part % 2 * 8;
            // SAFETY: within the scales, by the assertion above.
            unsafe { _mm256_loadu_ps(panel.scales.as_ptr().add(at)) }
        };
        for row in 0..height {
            let dots = |fours: std::ops::Range<usize>, start: i32| {
                // SAFETY: within the slices, by the assertions above.
                unsafe { dots::<F>(&panel, &x, group, row, fours, start) }
            };
            let mut values = [_mm256_setzero_ps(); PARTS];
            if F::HALVES {
                let low = dots(0..4, x.starts[2 * group * height + row]);
                let high = dots(4..8, x.starts[(2 * group + 1) * height + row]);
                for part in 0..PARTS {
                    let low = _mm256_mul_ps(_mm256_cvtepi32_ps(low[part]), scale(part, 0));
                    let high = _mm256_cvtepi32_ps(high[part]);
                    values[part] = _mm256_fmadd_ps(high, scale(part, 1), low);
                }
            } else {
                let at = group * height + row;
                let (start, sum) = if F::MINS { (0, x.sums[at]) } else { (x.starts[at], 0.0) };
                let (ints, sum) = (dots(0..8, start), _mm256_set1_ps(sum));
                for part in 0..PARTS {
                    let value = _mm256_mul_ps(_mm256_cvtepi32_ps(ints[part]), scale(part, 0));
                    values[part] =
                        if F::MINS { _mm256_fmadd_ps(scale(part, 1), sum, value) } else { value };
                }
            }
            let step = _mm256_set1_ps(x.steps[group * height + row]);
            for (part, value) in values.into_iter().enumerate() {
                // SAFETY: within the sums, by the assertion above.
                unsafe {
                    let to = sums.as_mut_ptr().add(row * WIDTH + part * 8);
                    _mm256_storeu_ps(to, _mm256_fmadd_ps(value, step, _mm256_loadu_ps(to)));
                }
            }
        }
    }
}

/// Integer dot products of some fours of a group.
///
/// # Safety
/// The panel and the tile must have the group and the row.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn dots<F: Grouped>(
    panel: &Panel<'_>,
    x: &Tile<'_>,
    group: usize,
    row: usize,
    fours: std::ops::Range<usize>,
    start: i32,
) -> [__m256i; PARTS] {
    // How many products of pairs 16 bits can hold the sum of.
    let run = (32767 / (2 * 127 * F::TOP) as usize).min(4);
    let mut ints = [_mm256_set1_epi32(start); PARTS];
    let ones = _mm256_set1_epi16(1);
    let mut j = fours.start;
    while j < fours.end {
        let mut words = [_mm256_setzero_si256(); PARTS];
        for j in j..j + run {
            // SAFETY: as the caller promises.
            let (x, levels) = unsafe {
                let four = x.bytes.as_ptr().add(((group * 8 + j) * x.height + row) * 4);
                let levels = panel.levels.as_ptr().add(group * STRIPS * STRIP_BYTES + j * 64);
                (_mm256_set1_epi32(four.cast::<i32>().read_unaligned()), levels)
            };
            for (part, words) in words.iter_mut().enumerate() {
                // SAFETY: as above.
                let levels = unsafe {
                    _mm256_loadu_si256(levels.add(part / 2 * STRIP_BYTES + part % 2 * 32).cast())
                };
                *words = _mm256_add_epi16(*words, products::<F>(levels, x));
            }
        }
        for (int, words) in ints.iter_mut().zip(words) {
            *int = _mm256_add_epi32(*int, _mm256_madd_epi16(words, ones));
        }
        j += run;
    }
    ints
}

/// Sums of two neighbouring products each.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn products<F: Grouped>(levels: __m256i, x: __m256i) -> __m256i {
    if F::SIGNED {
        // One factor must be unsigned: the sign of the levels goes to the activations.
        _mm256_maddubs_epi16(_mm256_abs_epi8(levels), _mm256_sign_epi8(x, levels))
    } else {
        _mm256_maddubs_epi16(levels, x)
    }
}
