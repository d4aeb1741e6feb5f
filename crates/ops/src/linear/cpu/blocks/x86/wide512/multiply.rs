//! A tile of rows by a panel of 32 columns: eight rows in assembly as in [`eight512`](super::super::eight512),
//! the last rows of all one by one.

use super::super::{
    super::{
        activations::{TILE, Tile},
        panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
    },
    eight512::{Pair, Rows, add_steps, each, fetch_ahead, get, load, products, put, read},
};
use super::grouped::F16;
use bessemer_formats::GROUP;
use std::arch::{asm, x86_64::*};

/// Pairs of a group.
const PAIRS: usize = GROUP / 2;
/// Bytes of a group of a strip.
const BYTES: usize = 2 * STRIP_BYTES;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn multiply(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool) {
    let (groups, height) = (panel.groups, x.height);
    assert!(panel.levels.len() >= groups * STRIPS * BYTES);
    assert!(panel.scales.len() >= groups * WIDTH);
    assert!(x.bytes.len() >= groups * GROUP * 2 * height && x.steps.len() >= groups * height);
    assert!(sums.len() >= height * WIDTH);
    if fresh {
        sums[..height * WIDTH].fill(0.0);
    }
    // SAFETY: all that is read and written is within the slices, by the assertions above.
    unsafe {
        if height == TILE {
            eight(&panel, &x, sums.as_mut_ptr());
        } else {
            (0..height).for_each(|row| one(&panel, &x, row, sums.as_mut_ptr().add(row * WIDTH)));
        }
    }
}

/// Adds row `row` times a panel to `sums`.
///
/// # Safety
/// The panel, the tile and the sums must be as [`multiply`] asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn one(panel: &Panel<'_>, x: &Tile<'_>, row: usize, sums: *mut f32) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut totals = [_mm512_loadu_ps(sums), _mm512_loadu_ps(sums.add(STRIP))];
        for group in 0..panel.groups {
            let levels = panel.levels.as_ptr().add(group * STRIPS * BYTES);
            let pairs = x.bytes.as_ptr().cast::<i32>().add(group * PAIRS * x.height + row);
            let mut ints = [_mm512_setzero_si512(); STRIPS];
            for pair in 0..PAIRS {
                let x = _mm512_set1_epi32(pairs.add(pair * x.height).read_unaligned());
                for (strip, ints) in ints.iter_mut().enumerate() {
                    let levels = levels.add(strip * BYTES + pair * 64);
                    *ints = _mm512_dpwssd_epi32(*ints, _mm512_loadu_si512(levels.cast()), x);
                }
            }
            let step = _mm512_set1_ps(*x.steps.as_ptr().add(group * x.height + row));
            for (strip, total) in totals.iter_mut().enumerate() {
                let scale = panel.scales.as_ptr().add(group * WIDTH + strip * STRIP);
                let value = _mm512_mul_ps(_mm512_cvtepi32_ps(ints[strip]), _mm512_loadu_ps(scale));
                *total = _mm512_fmadd_ps(value, step, *total);
            }
        }
        _mm512_storeu_ps(sums, totals[0]);
        _mm512_storeu_ps(sums.add(STRIP), totals[1]);
    }
}

/// Adds eight rows times a panel to `sums`.
///
/// # Safety
/// The panel, the tile and the sums must be as [`multiply`] asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn eight(panel: &Panel<'_>, x: &Tile<'_>, sums: *mut f32) {
    let mut totals: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
    // SAFETY: as the caller promises: all groups of the panel are there.
    unsafe {
        each!(ROW in 0 1 2 3 4 5, totals[ROW] = get::<ROW>(sums));
        for group in 0..panel.groups {
            let mut ints: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
            fetch_ahead(x.bytes.as_ptr().wrapping_add(group * GROUP * 2 * TILE), GROUP * 2 * TILE);
            each!(J in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, pair::<J>(&mut ints, panel, x, group));
            let d = load::<F16>(panel.scales.as_ptr().add(group * WIDTH));
            each!(ROW in 0 1 2 3 4 5 6 7, scale(&mut ints[ROW], d));
            add_steps(&mut totals, &ints, x.steps.as_ptr().add(group * TILE), sums);
        }
        each!(ROW in 0 1 2 3 4 5, put::<ROW>(totals[ROW], sums));
    }
}

products!(pair, "vpdpwssd", 2 * GROUP);

/// Sums, from here on as floats, times the scales of their columns.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scale(ints: &mut Pair, d: Pair) {
    // SAFETY: reads and writes registers only.
    unsafe {
        read!(
            "vcvtdq2ps {a}, {a}",
            "vcvtdq2ps {b}, {b}",
            "vmulps {a}, {a}, {low}",
            "vmulps {b}, {b}, {high}",
            low = in(zmm_reg) d[0],
            high = in(zmm_reg) d[1],
            a = inout(zmm_reg) ints[0],
            b = inout(zmm_reg) ints[1],
        );
    }
}
