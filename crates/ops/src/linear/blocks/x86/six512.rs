//! AVX-512 with VNNI: six rows by 32 columns, in assembly. Compilers load everything first and
//! spill, and every store takes time from the products.
//!
//! Twelve registers hold integer sums, twelve hold floats: totals where each group of activations
//! has a step of its own, otherwise what a span of groups comes to before it is scaled. The other
//! eight are for operands.

use super::{
    super::{
        activations::{MAGIC_BITS, TILE, Tile},
        format::{Format, GROUP},
        panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
    },
    tile512::span,
};
use std::arch::{asm, x86_64::*};

pub(super) type Ints = [[__m512i; STRIPS]; TILE];
pub(super) type Floats = [[__m512; STRIPS]; TILE];

/// Adds six rows times a panel to `sums`.
///
/// # Safety
/// The panel, the tile and the sums must be as `tile512::multiply` asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn multiply<F: Format>(panel: &Panel<'_>, x: &Tile<'_>, sums: &mut [f32]) {
    let span = const { span::<F>() };
    let sums = sums.as_mut_ptr();
    let mut floats: Floats = [[_mm512_setzero_ps(); STRIPS]; TILE];
    let mut ints: Ints = [[_mm512_setzero_si512(); STRIPS]; TILE];
    // SAFETY: as the caller promises: all groups of the panel are there.
    unsafe {
        if span == 1 {
            for (row, floats) in floats.iter_mut().enumerate() {
                for (strip, total) in floats.iter_mut().enumerate() {
                    *total = _mm512_loadu_ps(sums.add(row * WIDTH + strip * STRIP));
                }
            }
        }
        for first in (0..panel.groups).step_by(span) {
            let excess = panel.excess.as_ptr().add(first / span * WIDTH);
            let steps = x.steps.as_ptr().add(first * TILE);
            if span == 1 {
                dots_of_part::<F, 0>(&mut ints, panel, x, first);
                let scales = panel.scales.as_ptr().add(first * WIDTH * F::SCALES);
                scale::<F>(&mut ints, scales, excess);
                if F::MINS {
                    add_mins::<F>(&mut ints, scales, x.sums.as_ptr().add(first * TILE));
                }
                add_steps(&mut floats, &ints, steps);
                continue;
            }
            begin_floats(&mut floats, excess);
            for group in first..first + span {
                let scales = panel.scales.as_ptr().add(group * WIDTH * F::SCALES);
                dots_of_part::<F, 0>(&mut ints, panel, x, group);
                add_scaled::<F>(&mut floats, &ints, scales);
                if F::HALVES {
                    dots_of_part::<F, 1>(&mut ints, panel, x, group);
                    add_scaled::<F>(&mut floats, &ints, scales.add(STRIP));
                }
                if F::MINS {
                    let sums = x.sums.as_ptr().add(group * TILE);
                    add_mins_to_floats::<F>(&mut floats, scales, sums);
                }
            }
            for (row, floats) in floats.iter().enumerate() {
                let step = _mm512_set1_ps(*steps.add(row));
                for (strip, &value) in floats.iter().enumerate() {
                    let at = sums.add(row * WIDTH + strip * STRIP);
                    _mm512_storeu_ps(at, _mm512_fmadd_ps(value, step, _mm512_loadu_ps(at)));
                }
            }
        }
        if span == 1 {
            for (row, floats) in floats.iter().enumerate() {
                for (strip, &total) in floats.iter().enumerate() {
                    _mm512_storeu_ps(sums.add(row * WIDTH + strip * STRIP), total);
                }
            }
        }
    }
}

/// Integer dot products of a group or, where those have scales, of its first half (`PART` 0) or
/// second.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn dots_of_part<F: Format, const PART: usize>(
    ints: &mut Ints,
    panel: &Panel<'_>,
    x: &Tile<'_>,
    group: usize,
) {
    // SAFETY: the group is there, as the caller of `multiply` promises.
    unsafe {
        let levels = panel.levels.as_ptr().add(group * STRIPS * STRIP_BYTES);
        let bytes = x.bytes.as_ptr().add(group * GROUP * TILE);
        let starts = if F::MINS {
            NO_OFFSETS.as_ptr()
        } else {
            x.starts.as_ptr().add((group * F::STARTS + PART) * TILE)
        };
        // As far ahead as the next tile is.
        begin(ints, starts, bytes.wrapping_add(panel.groups * GROUP * TILE));
        if PART == 0 {
            step::<0>(ints, levels, bytes);
            step::<1>(ints, levels, bytes);
            step::<2>(ints, levels, bytes);
            step::<3>(ints, levels, bytes);
        }
        if PART == 1 || !F::HALVES {
            step::<4>(ints, levels, bytes);
            step::<5>(ints, levels, bytes);
            step::<6>(ints, levels, bytes);
            step::<7>(ints, levels, bytes);
        }
    }
}

/// Where sums start that need no correction.
static NO_OFFSETS: [i32; TILE] = [MAGIC_BITS; TILE];

/// Assembly with the integer sums in the first twelve registers.
macro_rules! with_ints {
    ($ints:ident, $way:ident, [$($line:expr,)*], $($operands:tt)*) => {
        asm!(
            $($line,)*
            $($operands)*
            $way("zmm0") $ints[0][0], $way("zmm1") $ints[0][1],
            $way("zmm2") $ints[1][0], $way("zmm3") $ints[1][1],
            $way("zmm4") $ints[2][0], $way("zmm5") $ints[2][1],
            $way("zmm6") $ints[3][0], $way("zmm7") $ints[3][1],
            $way("zmm8") $ints[4][0], $way("zmm9") $ints[4][1],
            $way("zmm10") $ints[5][0], $way("zmm11") $ints[5][1],
            options(nostack, readonly, preserves_flags),
        )
    };
}

/// Assembly with the floats in the next twelve, too.
macro_rules! with_floats {
    ($floats:ident, $way:ident, [$($line:expr,)*], $($operands:tt)*) => {
        asm!(
            $($line,)*
            $($operands)*
            $way("zmm12") $floats[0][0], $way("zmm13") $floats[0][1],
            $way("zmm14") $floats[1][0], $way("zmm15") $floats[1][1],
            $way("zmm16") $floats[2][0], $way("zmm17") $floats[2][1],
            $way("zmm18") $floats[3][0], $way("zmm19") $floats[3][1],
            $way("zmm20") $floats[4][0], $way("zmm21") $floats[4][1],
            $way("zmm22") $floats[5][0], $way("zmm23") $floats[5][1],
            options(nostack, readonly, preserves_flags),
        )
    };
}

/// What sums start from, each loaded on its own: a copy of a register would take the place of a
/// product. Asks for the same group of the next tile too, which is at `next`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn begin(ints: &mut Ints, starts: *const i32, next: *const u8) {
    macro_rules! row {
        ($at:literal, $a:literal, $b:literal) => {
            concat!(
                "vpbroadcastd zmm",
                $a,
                ", dword ptr [{starts} + ",
                $at,
                "]\n",
                "vpbroadcastd zmm",
                $b,
                ", dword ptr [{starts} + ",
                $at,
                "]",
            )
        };
    }
    // SAFETY: reads the starts that the caller of `multiply` promises; writes registers only.
    unsafe {
        with_ints!(ints, out, [
            row!(0, 0, 1), row!(4, 2, 3), row!(8, 4, 5),
            row!(12, 6, 7), row!(16, 8, 9), row!(20, 10, 11),
            "prefetcht0 [{next}]",
            "prefetcht0 [{next} + 64]",
            "prefetcht0 [{next} + 128]",
        ],
            starts = in(reg) starts,
            next = in(reg) next,
        );
    }
}

/// What floats start from.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn begin_floats(floats: &mut Floats, excess: *const f32) {
    macro_rules! row {
        ($a:literal, $b:literal) => {
            concat!("vmovups zmm", $a, ", [{excess}]\n", "vmovups zmm", $b, ", [{excess} + 64]",)
        };
    }
    // SAFETY: reads what the caller of `multiply` promises; writes registers only.
    unsafe {
        with_floats!(floats, out, [
            row!(12, 13), row!(14, 15), row!(16, 17), row!(18, 19), row!(20, 21), row!(22, 23),
        ],
            excess = in(reg) excess,
        );
    }
}

/// Declares a function that adds what an instruction makes of four bytes of each of 32 columns and six
/// rows; strips are `$strip` bytes apart.
macro_rules! products {
    ($name:ident, $instruction:literal, $strip:expr) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vnni")]
        unsafe fn $name<const J: usize>(ints: &mut Ints, levels: *const u8, bytes: *const u8) {
            macro_rules! row {
                ($at:literal, $x:literal, $a:literal, $b:literal) => {
                    concat!(
                        concat!("vpbroadcastd zmm", $x, ", dword ptr [{bytes} + {x} + ", $at, "]\n"),
                        concat!($instruction, " zmm", $a, ", zmm24, zmm", $x, "\n"),
                        concat!($instruction, " zmm", $b, ", zmm25, zmm", $x),
                    )
                };
            }
            // SAFETY: reads within the group that the caller promises; writes registers only.
            unsafe {
                with_ints!(ints, inout, [
                    "vmovdqu64 zmm24, [{levels} + {at}]",
                    "vmovdqu64 zmm25, [{levels} + {at} + {strip}]",
                    row!(0, 26, 0, 1), row!(4, 27, 2, 3), row!(8, 28, 4, 5),
                    row!(12, 29, 6, 7), row!(16, 30, 8, 9), row!(20, 31, 10, 11),
                ],
                    levels = in(reg) levels,
                    bytes = in(reg) bytes,
                    at = const J * 64,
                    strip = const $strip,
                    x = const J * 4 * TILE,
                    out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                    out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                );
            }
        }
    };
}

products!(step, "vpdpbusd", STRIP_BYTES);

pub(super) use {products, with_ints};

/// Sums, from here on as floats, times the scales of their columns, less what they are too large
/// by.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scale<F: Format>(ints: &mut Ints, scales: *const f32, excess: *const f32) {
    macro_rules! row {
        ($a:literal, $b:literal) => {
            concat!(
                "vfmadd213ps zmm",
                $a,
                ", zmm24, zmm26\n",
                "vfmadd213ps zmm",
                $b,
                ", zmm25, zmm27",
            )
        };
    }
    // SAFETY: reads scales that the caller of `multiply` promises; writes registers only.
    unsafe {
        with_ints!(ints, inout, [
            "vmovups zmm24, [{scales}]",
            "vmovups zmm25, [{scales} + {strip}]",
            "vmovups zmm26, [{excess}]",
            "vmovups zmm27, [{excess} + 64]",
            row!(0, 1), row!(2, 3), row!(4, 5), row!(6, 7), row!(8, 9), row!(10, 11),
        ],
            scales = in(reg) scales,
            excess = in(reg) excess,
            strip = const F::SCALES * STRIP * 4,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
        );
    }
}

/// Adds minima times the sum of the activations of one row, which is `$at` bytes into the sums, to
/// the registers `$a` and `$b`.
macro_rules! mins_row {
    ($at:literal, $x:literal, $a:literal, $b:literal) => {
        concat!(
            "vbroadcastss zmm",
            $x,
            ", dword ptr [{sums} + ",
            $at,
            "]\n",
            "vfmadd231ps zmm",
            $a,
            ", zmm24, zmm",
            $x,
            "\n",
            "vfmadd231ps zmm",
            $b,
            ", zmm25, zmm",
            $x,
        )
    };
}

/// Adds minima times the sums of the activations to scaled sums.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_mins<F: Format>(ints: &mut Ints, scales: *const f32, sums: *const f32) {
    // SAFETY: reads what the caller of `multiply` promises; writes registers only.
    unsafe {
        with_ints!(ints, inout, [
            "vmovups zmm24, [{scales} + 64]",
            "vmovups zmm25, [{scales} + {strip} + 64]",
            mins_row!(0, 26, 0, 1), mins_row!(4, 27, 2, 3), mins_row!(8, 28, 4, 5),
            mins_row!(12, 29, 6, 7), mins_row!(16, 30, 8, 9), mins_row!(20, 31, 10, 11),
        ],
            scales = in(reg) scales,
            sums = in(reg) sums,
            strip = const F::SCALES * STRIP * 4,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
        );
    }
}

/// Adds minima times the sums of the activations to floats.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_mins_to_floats<F: Format>(floats: &mut Floats, scales: *const f32, sums: *const f32) {
    // SAFETY: reads what the caller of `multiply` promises; writes registers only.
    unsafe {
        with_floats!(floats, inout, [
            "vmovups zmm24, [{scales} + 64]",
            "vmovups zmm25, [{scales} + {strip} + 64]",
            mins_row!(0, 26, 12, 13), mins_row!(4, 27, 14, 15), mins_row!(8, 28, 16, 17),
            mins_row!(12, 29, 18, 19), mins_row!(16, 30, 20, 21), mins_row!(20, 31, 22, 23),
        ],
            scales = in(reg) scales,
            sums = in(reg) sums,
            strip = const F::SCALES * STRIP * 4,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
        );
    }
}

/// Adds scaled sums times the steps of their rows to totals.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn add_steps(floats: &mut Floats, ints: &Ints, steps: *const f32) {
    macro_rules! row {
        ($at:literal, $x:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
            concat!(
                "vbroadcastss zmm",
                $x,
                ", dword ptr [{steps} + ",
                $at,
                "]\n",
                "vfmadd231ps zmm",
                $c,
                ", zmm",
                $a,
                ", zmm",
                $x,
                "\n",
                "vfmadd231ps zmm",
                $d,
                ", zmm",
                $b,
                ", zmm",
                $x,
            )
        };
    }
    // SAFETY: reads the steps that the caller of `multiply` promises; writes registers only.
    unsafe {
        with_floats!(floats, inout, [
            row!(0, 26, 0, 1, 12, 13), row!(4, 27, 2, 3, 14, 15), row!(8, 28, 4, 5, 16, 17),
            row!(12, 29, 6, 7, 18, 19), row!(16, 30, 8, 9, 20, 21), row!(20, 31, 10, 11, 22, 23),
        ],
            steps = in(reg) steps,
            in("zmm0") ints[0][0], in("zmm1") ints[0][1], in("zmm2") ints[1][0],
            in("zmm3") ints[1][1], in("zmm4") ints[2][0], in("zmm5") ints[2][1],
            in("zmm6") ints[3][0], in("zmm7") ints[3][1], in("zmm8") ints[4][0],
            in("zmm9") ints[4][1], in("zmm10") ints[5][0], in("zmm11") ints[5][1],
            out("zmm26") _, out("zmm27") _, out("zmm28") _,
            out("zmm29") _, out("zmm30") _, out("zmm31") _,
        );
    }
}

/// Adds sums times the scales of their columns to floats.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_scaled<F: Format>(floats: &mut Floats, ints: &Ints, scales: *const f32) {
    macro_rules! row {
        ($a:literal, $b:literal, $c:literal, $d:literal) => {
            concat!(
                "vfmadd231ps zmm",
                $c,
                ", zmm",
                $a,
                ", zmm24\n",
                "vfmadd231ps zmm",
                $d,
                ", zmm",
                $b,
                ", zmm25",
            )
        };
    }
    // SAFETY: reads scales that the caller of `multiply` promises; writes registers only.
    unsafe {
        with_floats!(floats, inout, [
            "vmovups zmm24, [{scales}]",
            "vmovups zmm25, [{scales} + {strip}]",
            row!(0, 1, 12, 13), row!(2, 3, 14, 15), row!(4, 5, 16, 17),
            row!(6, 7, 18, 19), row!(8, 9, 20, 21), row!(10, 11, 22, 23),
        ],
            scales = in(reg) scales,
            strip = const F::SCALES * STRIP * 4,
            in("zmm0") ints[0][0], in("zmm1") ints[0][1], in("zmm2") ints[1][0],
            in("zmm3") ints[1][1], in("zmm4") ints[2][0], in("zmm5") ints[2][1],
            in("zmm6") ints[3][0], in("zmm7") ints[3][1], in("zmm8") ints[4][0],
            in("zmm9") ints[4][1], in("zmm10") ints[5][0], in("zmm11") ints[5][1],
            out("zmm24") _, out("zmm25") _,
        );
    }
}
