//! Many rows of activations: up to six rows by 16 columns of integer sums in registers.

use super::{
    super::{
        activations::Tile,
        panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
    },
    dot::Dot,
};
use bessemer_formats::{Format, GROUP};
use std::{arch::aarch64::*, ops::Range};

/// Vectors of a strip.
const PARTS: usize = STRIP / 4;

/// Lays out the levels of a strip.
pub(super) fn pack<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * STRIPS * STRIP_BYTES..][..STRIP_BYTES];
        for (i, row) in rows.iter().enumerate() {
            let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
            let mut bytes = [0i8; GROUP];
            // SAFETY: the slice is a whole block, and the array is 32 bytes.
            unsafe {
                let [low, high] = F::levels128(block.as_ptr(), group % F::GROUPS);
                vst1q_s8(bytes.as_mut_ptr(), low);
                vst1q_s8(bytes.as_mut_ptr().add(16), high);
            }
            for (j, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                to[(j * STRIP + i) * 4..][..4].copy_from_slice(&four.map(|level| level as u8));
            }
        }
    }
}

/// A tile of rows times a panel.
pub(super) fn multiply<F: Format, D: Dot>(
    panel: Panel<'_>,
    x: Tile<'_>,
    sums: &mut [f32],
    fresh: bool,
) {
    let (groups, height) = (panel.groups, x.height);
    assert!(panel.levels.len() >= groups * STRIPS * STRIP_BYTES);
    assert!(panel.scales.len() >= groups * WIDTH * F::SCALES);
    assert!(x.bytes.len() >= groups * GROUP * height && x.steps.len() >= groups * height);
    assert!(if F::MINS { x.sums.len() } else { x.starts.len() / F::STARTS } >= groups * height);
    assert!(sums.len() >= height * WIDTH);
    if fresh {
        sums.fill(0.0);
    }
    // SAFETY: all that is read and written is within the slices, by the assertions above.
    unsafe {
        match height {
            6 => rows::<F, D, 6>(panel, x, sums),
            5 => rows::<F, D, 5>(panel, x, sums),
            4 => rows::<F, D, 4>(panel, x, sums),
            3 => rows::<F, D, 3>(panel, x, sums),
            2 => rows::<F, D, 2>(panel, x, sums),
            _ => rows::<F, D, 1>(panel, x, sums),
        }
    }
}

/// # Safety
/// The panel, the tile and the sums must be as [`multiply`] asks for.
unsafe fn rows<F: Format, D: Dot, const R: usize>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]) {
    let halves = if F::HALVES { 2 } else { 1 };
    for (group, strip) in (0..panel.groups).flat_map(|g| (0..STRIPS).map(move |s| (g, s))) {
        let at = group * STRIPS + strip;
        // SAFETY: as the caller promises.
        unsafe {
            let levels = panel.levels.as_ptr().add(at * STRIP_BYTES).cast::<i8>();
            let scales = panel.scales.as_ptr().add(at * F::SCALES * STRIP);
            for half in 0..halves {
                let mut ints = [[vdupq_n_s32(0); PARTS]; R];
                if !F::MINS {
                    let starts = x.starts.as_ptr().add((group * F::STARTS + half) * R);
                    for (row, ints) in ints.iter_mut().enumerate() {
                        *ints = [vdupq_n_s32(*starts.add(row)); PARTS];
                    }
                }
                let fours = 8 / halves;
                for j in fours * half..fours * (half + 1) {
                    let bytes = x.bytes.as_ptr().add((group * 8 + j) * R * 4);
                    add_fours::<D, R>(&mut ints, levels.add(j * STRIP * 4), bytes);
                }
                for (row, ints) in ints.iter().enumerate() {
                    let step = *x.steps.as_ptr().add(group * R + row);
                    let to = sums.as_mut_ptr().add(row * WIDTH + strip * STRIP);
                    for (part, &ints) in ints.iter().enumerate() {
                        let d = vld1q_f32(scales.add(half * STRIP + part * 4));
                        let mut value = vmulq_f32(vcvtq_f32_s32(ints), d);
                        if F::MINS {
                            let sum = *x.sums.as_ptr().add(group * R + row);
                            let m = vld1q_f32(scales.add(STRIP + part * 4));
                            value = vfmaq_n_f32(value, m, sum);
                        }
                        let to = to.add(part * 4);
                        vst1q_f32(to, vfmaq_n_f32(vld1q_f32(to), value, step));
                    }
                }
            }
        }
    }
}

/// Adds the products of four values of 16 columns with those of some rows.
///
/// # Safety
/// There must be 64 levels, and four bytes for each row.
#[inline(always)]
unsafe fn add_fours<D: Dot, const R: usize>(
    ints: &mut [[int32x4_t; PARTS]; R],
    levels: *const i8,
    bytes: *const u8,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let word = |row: usize| bytes.add(row * 4).cast::<i32>().read_unaligned();
        // The fours of up to four rows, and those of the others.
        let first = if R >= 4 {
            vld1q_s8(bytes.cast())
        } else {
            let mut words = [0; 4];
            (0..R).for_each(|row| words[row] = word(row));
            vreinterpretq_s8_s32(vld1q_s32(words.as_ptr()))
        };
        let rest = if R > 4 {
            let words = [word(4), word(R - 1), 0, 0];
            vreinterpretq_s8_s32(vld1q_s32(words.as_ptr()))
        } else {
            first
        };
        for part in 0..PARTS {
            let levels = vld1q_s8(levels.add(part * 16));
            for (row, ints) in ints.iter_mut().enumerate() {
                let sum = &mut ints[part];
                *sum = match row {
                    0 => D::dot_lane::<0>(*sum, levels, first),
                    1 => D::dot_lane::<1>(*sum, levels, first),
                    2 => D::dot_lane::<2>(*sum, levels, first),
                    3 => D::dot_lane::<3>(*sum, levels, first),
                    4 => D::dot_lane::<0>(*sum, levels, rest),
                    _ => D::dot_lane::<1>(*sum, levels, rest),
                };
            }
        }
    }
}
