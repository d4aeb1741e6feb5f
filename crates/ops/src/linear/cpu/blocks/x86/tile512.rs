//! AVX-512 with VNNI: a tile of rows by a panel of 32 columns. Whole tiles of eight rows are
//! done in [`eight512`](super::eight512), the last rows here.
//!
//! Integer sums start from the bits of 1.5·2²³, so that as floats they are that number plus the
//! sum: no conversion is needed. What that makes them too large by is known of each panel, and is
//! what the floats that they are added to start from.

use super::{
    super::{
        activations::{MAGIC_BITS, TILE, Tile},
        panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
    },
    eight512,
};
use bessemer_formats::{GROUP, Grouped};
use std::arch::x86_64::*;

/// Groups that share a step of the activations, so that their sums are scaled by it together.
///
/// K-quants take four: 128 values are half of what other engines give a step to with these
/// formats. The others keep a step per group, as is usual with them.
pub(super) const fn span<F: Grouped>() -> usize {
    if F::GROUPS > 1 { 4 } else { 1 }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn multiply<F: Grouped>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool) {
    let (groups, height, span) = (panel.groups, x.height, const { span::<F>() });
    assert!(panel.levels.len() >= groups * STRIPS * STRIP_BYTES && groups.is_multiple_of(span));
    assert!(groups > 0);
    assert!(panel.scales.len() >= groups * WIDTH * F::SCALES);
    assert!(panel.excess.len() >= groups / span * WIDTH);
    assert!(x.bytes.len() >= groups * GROUP * height && x.steps.len() >= groups * height);
    assert!(if F::MINS { x.sums.len() } else { x.starts.len() / F::STARTS } >= groups * height);
    assert!(sums.len() >= height * WIDTH);
    if fresh {
        sums[..height * WIDTH].fill(0.0);
    }
    // SAFETY: all that is read and written is within the slices, by the assertions above.
    unsafe {
        if height == TILE {
            eight512::multiply::<F>(&panel, &x, sums);
        } else {
            match height {
                7 => rows::<F, 7>(&panel, &x, sums),
                6 => rows::<F, 6>(&panel, &x, sums),
                5 => rows::<F, 5>(&panel, &x, sums),
                4 => rows::<F, 4>(&panel, &x, sums),
                3 => rows::<F, 3>(&panel, &x, sums),
                2 => rows::<F, 2>(&panel, &x, sums),
                _ => rows::<F, 1>(&panel, &x, sums),
            }
        }
    }
}

/// A tile of fewer rows, a strip after the other.
///
/// # Safety
/// The panel, the tile and the sums must be as [`multiply`] asks for.
#[allow(clippy::needless_range_loop)] // Rows, of several arrays at once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn rows<F: Grouped, const R: usize>(panel: &Panel<'_>, x: &Tile<'_>, sums: &mut [f32]) {
    let span = const { span::<F>() };
    let parts = if F::HALVES { 2 } else { 1 };
    // SAFETY: as the caller promises.
    unsafe {
        for strip in 0..STRIPS {
            let sum = |row: usize| row * WIDTH + strip * STRIP;
            let mut total = [_mm512_setzero_ps(); R];
            for row in 0..R {
                total[row] = _mm512_loadu_ps(sums.as_ptr().add(sum(row)));
            }
            for first in (0..panel.groups).step_by(span) {
                let excess = panel.excess.as_ptr().add(first / span * WIDTH + strip * STRIP);
                let mut value = [_mm512_loadu_ps(excess); R];
                for group in first..first + span {
                    let at = group * STRIPS + strip;
                    let levels = panel.levels.as_ptr().add(at * STRIP_BYTES);
                    let scales = panel.scales.as_ptr().add(at * F::SCALES * STRIP);
                    for part in 0..parts {
                        let mut ints = [_mm512_set1_epi32(MAGIC_BITS); R];
                        if !F::MINS {
                            let starts = x.starts.as_ptr().add((group * F::STARTS + part) * R);
                            for row in 0..R {
                                ints[row] = _mm512_set1_epi32(*starts.add(row));
                            }
                        }
                        for j in 8 / parts * part..8 / parts * (part + 1) {
                            let levels = _mm512_loadu_si512(levels.add(j * 64).cast());
                            let fours = x.bytes.as_ptr().add((group * 8 + j) * R * 4);
                            for row in 0..R {
                                let four = fours.add(row * 4).cast::<i32>().read_unaligned();
                                let four = _mm512_set1_epi32(four);
                                ints[row] = _mm512_dpbusd_epi32(ints[row], levels, four);
                            }
                        }
                        let d = _mm512_loadu_ps(scales.add(part * STRIP));
                        for row in 0..R {
                            let sum = _mm512_castsi512_ps(ints[row]);
                            value[row] = _mm512_fmadd_ps(sum, d, value[row]);
                        }
                    }
                    if F::MINS {
                        let mins = _mm512_loadu_ps(scales.add(STRIP));
                        for row in 0..R {
                            let sum = _mm512_set1_ps(*x.sums.as_ptr().add(group * R + row));
                            value[row] = _mm512_fmadd_ps(mins, sum, value[row]);
                        }
                    }
                }
                for row in 0..R {
                    let step = _mm512_set1_ps(*x.steps.as_ptr().add(first * R + row));
                    total[row] = _mm512_fmadd_ps(value[row], step, total[row]);
                }
            }
            for row in 0..R {
                _mm512_storeu_ps(sums.as_mut_ptr().add(sum(row)), total[row]);
            }
        }
    }
}
