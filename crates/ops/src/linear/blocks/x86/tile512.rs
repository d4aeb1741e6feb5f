//! AVX-512 with VNNI: six rows by 32 columns in registers.
//!
//! Integer sums start from the bits of 1.5·2²³, so that as floats they are that number plus the
//! sum: no conversion is needed. Taking `MAGIC · d` off again is exact, for `d` has few bits.

use super::super::{
    activations::{MAGIC, TILE, Tile},
    format::{Format, GROUP},
    panel::{Panel, STRIP, STRIP_BYTES, WIDTH},
};
use std::arch::{asm, x86_64::*};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn multiply<F: Format>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]) {
    match x.height {
        6 => tile::<F, 6>(panel, x, sums),
        5 => tile::<F, 5>(panel, x, sums),
        4 => tile::<F, 4>(panel, x, sums),
        3 => tile::<F, 3>(panel, x, sums),
        2 => tile::<F, 2>(panel, x, sums),
        _ => tile::<F, 1>(panel, x, sums),
    }
}

type Ints<const R: usize> = [[__m512i; 2]; R];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn tile<F: Format, const R: usize>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]) {
    let groups = panel.groups;
    assert!(panel.levels.len() >= groups * 2 * STRIP_BYTES);
    assert!(panel.scales.len() >= groups * WIDTH * F::SCALES);
    assert!(x.height == R && x.bytes.len() >= groups * GROUP * R);
    assert!(x.starts.len() >= groups * F::STARTS * R);
    assert!(x.sums.len() >= groups * R && x.steps.len() >= groups * R);
    assert!(sums.len() >= R * WIDTH);
    let magic = _mm512_set1_ps(MAGIC);
    // SAFETY: all addresses are within the slices, by the assertions above.
    unsafe {
        let mut total = [[_mm512_setzero_ps(); 2]; R];
        for (row, total) in total.iter_mut().enumerate() {
            for (strip, total) in total.iter_mut().enumerate() {
                *total = _mm512_loadu_ps(sums.as_ptr().add(row * WIDTH + strip * STRIP));
            }
        }
        for group in 0..groups {
            let levels = panel.levels.as_ptr().add(group * 2 * STRIP_BYTES);
            let bytes = x.bytes.as_ptr().add(group * GROUP * R);
            let starts = x.starts.as_ptr().add(group * F::STARTS * R);
            let scale = |strip: usize, which: usize| {
                let at = ((group * 2 + strip) * F::SCALES + which) * STRIP;
                _mm512_loadu_ps(panel.scales.as_ptr().add(at))
            };
            let step = |row: usize| _mm512_set1_ps(*x.steps.as_ptr().add(group * R + row));
            if F::HALVES {
                let low = dots::<R>(levels, bytes, starts, 0);
                let mut value = [[_mm512_setzero_ps(); 2]; R];
                for strip in 0..2 {
                    let (d, e) = (scale(strip, 0), scale(strip, 1));
                    let excess = _mm512_mul_ps(_mm512_add_ps(d, e), magic);
                    for row in 0..R {
                        let sum = _mm512_castsi512_ps(low[row][strip]);
                        value[row][strip] = _mm512_fmsub_ps(sum, d, excess);
                    }
                }
                let high = dots::<R>(levels, bytes, starts.add(R), 1);
                for strip in 0..2 {
                    let e = scale(strip, 1);
                    for row in 0..R {
                        let sum = _mm512_castsi512_ps(high[row][strip]);
                        let value = _mm512_fmadd_ps(sum, e, value[row][strip]);
                        total[row][strip] = _mm512_fmadd_ps(value, step(row), total[row][strip]);
                    }
                }
            } else {
                let ints = dots::<R>(levels, bytes, starts, 2);
                for strip in 0..2 {
                    let d = scale(strip, 0);
                    let excess = _mm512_mul_ps(d, magic);
                    for row in 0..R {
                        let sum = _mm512_castsi512_ps(ints[row][strip]);
                        let mut value = _mm512_fmsub_ps(sum, d, excess);
                        if F::MINS {
                            let sum = _mm512_set1_ps(*x.sums.as_ptr().add(group * R + row));
                            value = _mm512_fmadd_ps(scale(strip, 1), sum, value);
                        }
                        total[row][strip] = _mm512_fmadd_ps(value, step(row), total[row][strip]);
                    }
                }
            }
        }
        for (row, total) in total.iter().enumerate() {
            for (strip, &total) in total.iter().enumerate() {
                _mm512_storeu_ps(sums.as_mut_ptr().add(row * WIDTH + strip * STRIP), total);
            }
        }
    }
}

/// Integer dot products of a group (`part` 2) or of its first (0) or second (1) half.
///
/// # Safety
/// `levels`, `bytes` and `starts` must point at what a whole group has.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn dots<const R: usize>(
    levels: *const u8,
    bytes: *const u8,
    starts: *const i32,
    part: usize,
) -> Ints<R> {
    // SAFETY: as the caller promises.
    unsafe {
        let mut ints = [[_mm512_setzero_si512(); 2]; R];
        for (row, ints) in ints.iter_mut().enumerate() {
            *ints = [_mm512_set1_epi32(*starts.add(row)); 2];
        }
        if R == TILE {
            // The compiler would load everything first and spill.
            let six = &mut *(&raw mut ints).cast::<Ints<TILE>>();
            if part != 1 {
                step::<0>(six, levels, bytes);
                step::<1>(six, levels, bytes);
                step::<2>(six, levels, bytes);
                step::<3>(six, levels, bytes);
            }
            if part != 0 {
                step::<4>(six, levels, bytes);
                step::<5>(six, levels, bytes);
                step::<6>(six, levels, bytes);
                step::<7>(six, levels, bytes);
            }
        } else {
            for j in if part == 1 { 4 } else { 0 }..if part == 0 { 4 } else { 8 } {
                let at = |strip: usize| levels.add(strip * STRIP_BYTES + j * 64);
                let (a, b) = (_mm512_loadu_si512(at(0).cast()), _mm512_loadu_si512(at(1).cast()));
                for (row, ints) in ints.iter_mut().enumerate() {
                    let four = bytes.add((j * R + row) * 4).cast::<i32>().read_unaligned();
                    let x = _mm512_set1_epi32(four);
                    ints[0] = _mm512_dpbusd_epi32(ints[0], a, x);
                    ints[1] = _mm512_dpbusd_epi32(ints[1], b, x);
                }
            }
        }
        ints
    }
}

/// Four values of each of 32 columns by six rows, in the order the ports like.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn step<const J: usize>(ints: &mut Ints<TILE>, levels: *const u8, bytes: *const u8) {
    let [[a0, a1], [b0, b1], [c0, c1], [d0, d1], [e0, e1], [f0, f1]] = ints;
    // SAFETY: reads within the group that the caller of `dots` promises; writes registers only.
    unsafe {
        asm!(
            "vmovdqu64 zmm28, [{levels} + {at}]",
            "vmovdqu64 zmm29, [{levels} + {at} + 512]",
            "vpbroadcastd zmm30, dword ptr [{bytes} + {x}]",
            "vpdpbusd {a0}, zmm28, zmm30",
            "vpdpbusd {a1}, zmm29, zmm30",
            "vpbroadcastd zmm31, dword ptr [{bytes} + {x} + 4]",
            "vpdpbusd {b0}, zmm28, zmm31",
            "vpdpbusd {b1}, zmm29, zmm31",
            "vpbroadcastd zmm30, dword ptr [{bytes} + {x} + 8]",
            "vpdpbusd {c0}, zmm28, zmm30",
            "vpdpbusd {c1}, zmm29, zmm30",
            "vpbroadcastd zmm31, dword ptr [{bytes} + {x} + 12]",
            "vpdpbusd {d0}, zmm28, zmm31",
            "vpdpbusd {d1}, zmm29, zmm31",
            "vpbroadcastd zmm30, dword ptr [{bytes} + {x} + 16]",
            "vpdpbusd {e0}, zmm28, zmm30",
            "vpdpbusd {e1}, zmm29, zmm30",
            "vpbroadcastd zmm31, dword ptr [{bytes} + {x} + 20]",
            "vpdpbusd {f0}, zmm28, zmm31",
            "vpdpbusd {f1}, zmm29, zmm31",
            levels = in(reg) levels,
            bytes = in(reg) bytes,
            at = const J * 64,
            x = const J * 4 * TILE,
            a0 = inout(zmm_reg) *a0,
            a1 = inout(zmm_reg) *a1,
            b0 = inout(zmm_reg) *b0,
            b1 = inout(zmm_reg) *b1,
            c0 = inout(zmm_reg) *c0,
            c1 = inout(zmm_reg) *c1,
            d0 = inout(zmm_reg) *d0,
            d1 = inout(zmm_reg) *d1,
            e0 = inout(zmm_reg) *e0,
            e1 = inout(zmm_reg) *e1,
            f0 = inout(zmm_reg) *f0,
            f1 = inout(zmm_reg) *f1,
            out("zmm28") _,
            out("zmm29") _,
            out("zmm30") _,
            out("zmm31") _,
            options(nostack, readonly, pure, preserves_flags),
        );
    }
}
