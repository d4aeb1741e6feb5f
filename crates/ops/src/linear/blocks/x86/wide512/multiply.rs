//! A tile of rows by a panel of 32 columns: six rows in assembly as in [`six512`](super::super::six512),
//! the last rows of all one by one.

use super::super::{
    super::{
        activations::{TILE, Tile},
        format::GROUP,
        panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
    },
    six512::{Floats, Ints, add_steps, products, with_ints},
};
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
            six(&panel, &x, sums.as_mut_ptr());
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

/// Adds six rows times a panel to `sums`.
///
/// # Safety
/// The panel, the tile and the sums must be as [`multiply`] asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn six(panel: &Panel<'_>, x: &Tile<'_>, sums: *mut f32) {
    let mut floats: Floats = [[_mm512_setzero_ps(); STRIPS]; TILE];
    // SAFETY: as the caller promises: all groups of the panel are there.
    unsafe {
        for (row, floats) in floats.iter_mut().enumerate() {
            for (strip, total) in floats.iter_mut().enumerate() {
                *total = _mm512_loadu_ps(sums.add(row * WIDTH + strip * STRIP));
            }
        }
        for group in 0..panel.groups {
            let mut ints: Ints = [[_mm512_setzero_si512(); STRIPS]; TILE];
            let levels = panel.levels.as_ptr().add(group * STRIPS * BYTES);
            let bytes = x.bytes.as_ptr().add(group * GROUP * 2 * TILE);
            // As far ahead as the next tile is.
            let next = bytes.wrapping_add(panel.groups * GROUP * 2 * TILE);
            for line in 0..GROUP * 2 * TILE / 64 {
                _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(line * 64).cast());
            }
            macro_rules! pairs {
                ($($j:literal)*) => {$( pair::<$j>(&mut ints, levels, bytes); )*};
            }
            pairs!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            scale(&mut ints, panel.scales.as_ptr().add(group * WIDTH));
            add_steps(&mut floats, &ints, x.steps.as_ptr().add(group * TILE));
        }
        for (row, floats) in floats.iter().enumerate() {
            for (strip, &total) in floats.iter().enumerate() {
                _mm512_storeu_ps(sums.add(row * WIDTH + strip * STRIP), total);
            }
        }
    }
}

products!(pair, "vpdpwssd", BYTES);

/// Sums, from here on as floats, times the scales of their columns.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scale(ints: &mut Ints, scales: *const f32) {
    macro_rules! row {
        ($a:literal, $b:literal) => {
            concat!(
                "vcvtdq2ps zmm",
                $a,
                ", zmm",
                $a,
                "\n",
                "vcvtdq2ps zmm",
                $b,
                ", zmm",
                $b,
                "\n",
                "vmulps zmm",
                $a,
                ", zmm",
                $a,
                ", zmm24\n",
                "vmulps zmm",
                $b,
                ", zmm",
                $b,
                ", zmm25",
            )
        };
    }
    // SAFETY: reads scales that the caller of `multiply` promises; writes registers only.
    unsafe {
        with_ints!(ints, inout, [
            "vmovups zmm24, [{scales}]",
            "vmovups zmm25, [{scales} + 64]",
            row!(0, 1), row!(2, 3), row!(4, 5), row!(6, 7), row!(8, 9), row!(10, 11),
        ],
            scales = in(reg) scales,
            out("zmm24") _, out("zmm25") _,
        );
    }
}
