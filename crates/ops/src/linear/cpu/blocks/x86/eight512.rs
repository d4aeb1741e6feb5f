//! AVX-512 with VNNI: eight rows by 32 columns, in assembly. Compilers load everything first and
//! spill, and every store takes time from the products.
//!
//! Sixteen registers hold integer sums. Twelve hold floats: totals where each group of activations
//! has a step of its own, otherwise what a span of groups comes to before it is scaled; those of the
//! last two rows are in memory. That leaves two for weights, and two for activations: each is loaded
//! once for both strips, since loads are what limits this otherwise. Which register is which is up to
//! the compiler; the order of things is not.

use super::{
    super::{
        activations::{MAGIC_BITS, TILE, Tile},
        panel::{Panel, STRIP, STRIPS, WIDTH},
    },
    tile512::span,
};
use bessemer_formats::{GROUP, Grouped};
use bessemer_simd::prefetch;
use std::arch::{asm, x86_64::*};

/// A vector of each strip: floats or, where products are summed, integers.
pub(super) type Pair = [__m512; STRIPS];
/// A pair of each row.
pub(super) type Rows = [Pair; TILE];
/// The first row whose floats are in memory.
const LAST: usize = TILE - 2;
/// Floats of those rows.
const IN_MEMORY: usize = (TILE - LAST) * WIDTH;

/// Does something with each of some numbers, as a constant.
macro_rules! each {
    ($n:ident in $($number:literal)*, $body:expr) => {$({
        const $n: usize = $number;
        $body;
    })*};
}

/// Assembly that writes nothing but registers.
macro_rules! read {
    ($($text:tt)*) => { asm!($($text)* options(nostack, readonly, preserves_flags)) };
}

/// Adds eight rows times a panel to `sums`.
///
/// # Safety
/// The panel, the tile and the sums must be as `tile512::multiply` asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn multiply<F: Grouped>(panel: &Panel<'_>, x: &Tile<'_>, sums: &mut [f32]) {
    // SAFETY: as the caller promises.
    unsafe {
        if const { span::<F>() } == 1 {
            multiply_groups::<F>(panel, x, sums.as_mut_ptr());
        } else {
            multiply_spans::<F>(panel, x, sums.as_mut_ptr());
        }
    }
}

/// Where each group has a step: totals are what is kept.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn multiply_groups<F: Grouped>(panel: &Panel<'_>, x: &Tile<'_>, sums: *mut f32) {
    let mut ints: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
    let mut totals: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
    // SAFETY: as the caller of `multiply` promises: all groups of the panel are there.
    unsafe {
        each!(ROW in 0 1 2 3 4 5, totals[ROW] = get::<ROW>(sums));
        for group in 0..panel.groups {
            let scales = panel.scales.as_ptr().add(group * WIDTH * F::SCALES);
            let excess = panel.excess.as_ptr().add(group * WIDTH);
            begin::<F, 0>(&mut ints, x, group);
            each!(J in 0 1 2 3 4 5 6 7, step::<J>(&mut ints, panel, x, group));
            let d = load::<F>(scales);
            each!(ROW in 0 1 2 3 4 5 6 7, scale(&mut ints[ROW], d, excess));
            if F::MINS {
                let mins = load::<F>(scales.add(STRIP));
                each!(ROW in 0 1 2 3 4 5 6 7, add_mins::<ROW>(&mut ints[ROW], mins, x, group));
            }
            add_steps(&mut totals, &ints, x.steps.as_ptr().add(group * TILE), sums);
        }
        each!(ROW in 0 1 2 3 4 5, put::<ROW>(totals[ROW], sums));
    }
}

/// Where spans of groups have steps: what is kept is what a span comes to. It is added to the totals
/// while the products of the next span begin, since that many stores at once would hold them up.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn multiply_spans<F: Grouped>(panel: &Panel<'_>, x: &Tile<'_>, sums: *mut f32) {
    let span = const { span::<F>() };
    let mut ints: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
    let mut floats: Rows = [[_mm512_setzero_ps(); STRIPS]; TILE];
    let mut last = [0.0; IN_MEMORY];
    let last = last.as_mut_ptr();
    // SAFETY: as the caller of `multiply` promises: all groups of the panel are there.
    unsafe {
        each!(ROW in 0 1 2 3 4 5, floats[ROW] = get::<0>(panel.excess.as_ptr()));
        each!(ROW in 0 1, put::<ROW>(get::<0>(panel.excess.as_ptr()), last));
        for group in 0..panel.groups {
            begin::<F, 0>(&mut ints, x, group);
            if group % span == 0 && group > 0 {
                let steps = x.steps.as_ptr().add((group - span) * TILE);
                let excess = panel.excess.as_ptr().add(group / span * WIDTH);
                macro_rules! turn {
                    ($row:literal) => {
                        add_to_totals::<$row>(&floats[$row], steps, sums);
                        floats[$row] = get::<0>(excess);
                    };
                }
                step::<0>(&mut ints, panel, x, group);
                turn!(0);
                turn!(1);
                step::<1>(&mut ints, panel, x, group);
                turn!(2);
                turn!(3);
                step::<2>(&mut ints, panel, x, group);
                turn!(4);
                turn!(5);
                step::<3>(&mut ints, panel, x, group);
                add_last_to_totals(last, steps, sums);
                each!(ROW in 0 1, put::<ROW>(get::<0>(excess), last));
            } else {
                each!(J in 0 1 2 3, step::<J>(&mut ints, panel, x, group));
            }
            let scales = panel.scales.as_ptr().add(group * WIDTH * F::SCALES);
            if F::HALVES {
                add_scaled(&mut floats, &mut ints, load::<F>(scales), last);
                each!(ROW in 0 1, put::<ROW>(ints[LAST + ROW], last));
                begin::<F, 1>(&mut ints, x, group);
            }
            each!(J in 4 5 6 7, step::<J>(&mut ints, panel, x, group));
            let second = if F::HALVES { STRIP } else { 0 };
            add_scaled(&mut floats, &mut ints, load::<F>(scales.add(second)), last);
            if F::MINS {
                let mins = load::<F>(scales.add(STRIP));
                each!(ROW in 0 1 2 3 4 5, add_mins::<ROW>(&mut floats[ROW], mins, x, group));
                each!(ROW in 6 7, add_mins::<ROW>(&mut ints[ROW], mins, x, group));
            }
            each!(ROW in 0 1, put::<ROW>(ints[LAST + ROW], last));
        }
        let steps = x.steps.as_ptr().add((panel.groups - span) * TILE);
        each!(ROW in 0 1 2 3 4 5, add_to_totals::<ROW>(&floats[ROW], steps, sums));
        add_last_to_totals(last, steps, sums);
    }
}

/// Row `ROW` of a matrix of [`WIDTH`] floats.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn get<const ROW: usize>(from: *const f32) -> Pair {
    let (a, b);
    // SAFETY: reads what the caller promises to be there.
    unsafe {
        read!(
            "vmovups {a}, [{from} + {at}]",
            "vmovups {b}, [{from} + {at} + 64]",
            from = in(reg) from,
            at = const 4 * ROW * WIDTH,
            a = out(zmm_reg) a,
            b = out(zmm_reg) b,
        );
    }
    [a, b]
}

/// Writes such a row.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn put<const ROW: usize>(values: Pair, to: *mut f32) {
    // SAFETY: writes where there is room, as the caller promises.
    unsafe {
        asm!(
            "vmovups [{to} + {at}], {a}",
            "vmovups [{to} + {at} + 64], {b}",
            to = in(reg) to,
            at = const 4 * ROW * WIDTH,
            a = in(zmm_reg) values[0],
            b = in(zmm_reg) values[1],
            options(nostack, preserves_flags),
        );
    }
}

/// One of the scales of a group (or its minima), of both strips.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn load<F: Grouped>(scales: *const f32) -> Pair {
    let (a, b);
    // SAFETY: reads scales that the caller of `multiply` promises.
    unsafe {
        read!(
            "vmovups {a}, [{scales}]",
            "vmovups {b}, [{scales} + {strip}]",
            scales = in(reg) scales,
            strip = const F::SCALES * STRIP * 4,
            a = out(zmm_reg) a,
            b = out(zmm_reg) b,
        );
    }
    [a, b]
}

/// Asks for activations of which a group has so many bytes: when this one is in use, those a kilobyte
/// further on, be they of the next tile.
#[inline]
pub(super) fn fetch_ahead(group: *const u8, bytes: usize) {
    for line in (1024..1024 + bytes).step_by(64) {
        prefetch::read(group.wrapping_add(line));
    }
}

/// Where sums start that need no correction.
static NO_OFFSETS: [i32; TILE] = [MAGIC_BITS; TILE];

/// What the sums of a group start from or, where those have scales, of its first half (`PART` 0) or
/// second; each loaded on its own, since a copy of a register would take the place of a product.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn begin<F: Grouped, const PART: usize>(ints: &mut Rows, x: &Tile<'_>, group: usize) {
    // SAFETY: the group is there, as the caller of `multiply` promises.
    unsafe {
        if PART == 0 {
            fetch_ahead(x.bytes.as_ptr().wrapping_add(group * GROUP * TILE), GROUP * TILE);
        }
        let starts = if F::MINS {
            NO_OFFSETS.as_ptr()
        } else {
            x.starts.as_ptr().add((group * F::STARTS + PART) * TILE)
        };
        each!(ROW in 0 1 2 3 4 5 6 7, read!(
            "vpbroadcastd {a}, dword ptr [{starts} + {at}]",
            "vpbroadcastd {b}, dword ptr [{starts} + {at}]",
            starts = in(reg) starts,
            at = const 4 * ROW,
            a = out(zmm_reg) ints[ROW][0],
            b = out(zmm_reg) ints[ROW][1],
        ));
    }
}

/// Declares a function that adds what an instruction makes of four bytes (the `J`-th four of group
/// `group`) of each of 32 columns and eight rows; groups are `$group` bytes per row.
macro_rules! products {
    ($name:ident, $instruction:literal, $group:expr) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vnni")]
        unsafe fn $name<const J: usize>(
            ints: &mut Rows,
            panel: &Panel<'_>,
            x: &Tile<'_>,
            group: usize,
        ) {
            // SAFETY: reads within the group, which is there, as the caller promises.
            unsafe {
                let levels = panel.levels.as_ptr().add(group * STRIPS * STRIP * $group);
                let bytes = x.bytes.as_ptr().add(group * TILE * $group);
                let (low, high): (__m512, __m512);
                read!(
                    "vmovdqu64 {low}, [{levels} + {at}]",
                    "vmovdqu64 {high}, [{levels} + {at} + {strip}]",
                    levels = in(reg) levels,
                    at = const J * 64,
                    strip = const STRIP * $group,
                    low = out(zmm_reg) low,
                    high = out(zmm_reg) high,
                );
                each!(ROW in 0 1 2 3 4 5 6 7, {
                    let _four: __m512;
                    read!(
                        "vpbroadcastd {four}, dword ptr [{bytes} + {at}]",
                        concat!($instruction, " {a}, {low}, {four}"),
                        concat!($instruction, " {b}, {high}, {four}"),
                        bytes = in(reg) bytes,
                        at = const (J * TILE + ROW) * 4,
                        four = out(zmm_reg) _four,
                        low = in(zmm_reg) low,
                        high = in(zmm_reg) high,
                        a = inout(zmm_reg) ints[ROW][0],
                        b = inout(zmm_reg) ints[ROW][1],
                    );
                });
            }
        }
    };
}

products!(step, "vpdpbusd", GROUP);

pub(super) use {each, products, read};

/// Sums, from here on as floats, times the scales of their columns, less what they are too large
/// by.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scale(ints: &mut Pair, d: Pair, excess: *const f32) {
    // SAFETY: reads what the caller of `multiply` promises.
    unsafe {
        read!(
            "vfmadd213ps {a}, {low}, [{excess}]",
            "vfmadd213ps {b}, {high}, [{excess} + 64]",
            excess = in(reg) excess,
            low = in(zmm_reg) d[0],
            high = in(zmm_reg) d[1],
            a = inout(zmm_reg) ints[0],
            b = inout(zmm_reg) ints[1],
        );
    }
}

/// Adds minima times the sum of the activations of a row.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_mins<const ROW: usize>(to: &mut Pair, mins: Pair, x: &Tile<'_>, group: usize) {
    // SAFETY: reads a sum that the caller of `multiply` promises.
    unsafe {
        read!(
            "vfmadd231ps {a}, {low}, dword ptr [{sums} + {at}]{{1to16}}",
            "vfmadd231ps {b}, {high}, dword ptr [{sums} + {at}]{{1to16}}",
            sums = in(reg) x.sums.as_ptr().add(group * TILE),
            at = const 4 * ROW,
            low = in(zmm_reg) mins[0],
            high = in(zmm_reg) mins[1],
            a = inout(zmm_reg) to[0],
            b = inout(zmm_reg) to[1],
        );
    }
}

/// Adds scaled sums times the steps of their rows to totals; those of the last rows are in `sums`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn add_steps(totals: &mut Rows, ints: &Rows, steps: *const f32, sums: *mut f32) {
    // SAFETY: reads the steps, and writes the sums, that the caller of `multiply` promises.
    unsafe {
        each!(ROW in 0 1 2 3 4 5, add_step::<ROW>(&mut totals[ROW], &ints[ROW], steps));
        each!(ROW in 6 7, add_to_totals::<ROW>(&ints[ROW], steps, sums));
    }
}

/// Adds a row of floats times its step.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_step<const ROW: usize>(to: &mut Pair, floats: &Pair, steps: *const f32) {
    // SAFETY: reads a step that the caller of `multiply` promises.
    unsafe {
        read!(
            "vfmadd231ps {to_a}, {a}, dword ptr [{steps} + {at}]{{1to16}}",
            "vfmadd231ps {to_b}, {b}, dword ptr [{steps} + {at}]{{1to16}}",
            steps = in(reg) steps,
            at = const 4 * ROW,
            a = in(zmm_reg) floats[0],
            b = in(zmm_reg) floats[1],
            to_a = inout(zmm_reg) to[0],
            to_b = inout(zmm_reg) to[1],
        );
    }
}

/// Adds a row of floats times its step to its totals in memory.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_to_totals<const ROW: usize>(floats: &Pair, steps: *const f32, sums: *mut f32) {
    // SAFETY: reads the steps, and writes the sums, that the caller of `multiply` promises.
    unsafe {
        let mut totals = get::<ROW>(sums);
        add_step::<ROW>(&mut totals, floats, steps);
        put::<ROW>(totals, sums);
    }
}

/// The same for the last rows, whose floats are in memory too: no registers are left for them.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_last_to_totals(last: *const f32, steps: *const f32, sums: *mut f32) {
    // SAFETY: as there.
    unsafe {
        each!(ROW in 0 1, {
            let [mut a, mut b] = get::<ROW>(last);
            read!(
                "vmulps {a}, {a}, dword ptr [{steps} + {step}]{{1to16}}",
                "vmulps {b}, {b}, dword ptr [{steps} + {step}]{{1to16}}",
                "vaddps {a}, {a}, [{sums} + {at}]",
                "vaddps {b}, {b}, [{sums} + {at} + 64]",
                steps = in(reg) steps,
                sums = in(reg) sums,
                step = const 4 * (LAST + ROW),
                at = const 4 * (LAST + ROW) * WIDTH,
                a = inout(zmm_reg) a,
                b = inout(zmm_reg) b,
            );
            put::<{ LAST + ROW }>([a, b], sums);
        });
    }
}

/// Adds sums times the scales of their columns to floats; the sums for the last rows, whose floats are
/// in memory, go to where the integers were.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_scaled(floats: &mut Rows, ints: &mut Rows, d: Pair, last: *const f32) {
    // SAFETY: reads a row of floats; writes registers only.
    unsafe {
        each!(ROW in 0 1 2 3 4 5, read!(
            "vfmadd231ps {to_a}, {a}, {low}",
            "vfmadd231ps {to_b}, {b}, {high}",
            a = in(zmm_reg) ints[ROW][0],
            b = in(zmm_reg) ints[ROW][1],
            low = in(zmm_reg) d[0],
            high = in(zmm_reg) d[1],
            to_a = inout(zmm_reg) floats[ROW][0],
            to_b = inout(zmm_reg) floats[ROW][1],
        ));
        each!(ROW in 0 1, scale(&mut ints[LAST + ROW], d, last.add(ROW * WIDTH)));
    }
}
