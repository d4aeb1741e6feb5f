//! A few rows of activations: rows of weights are streamed, 32 values at a time.

use super::{
    super::{
        activations::{Row, Tile},
        few::{Streams, Sums},
    },
    dot::Dot,
};
use bessemer_formats::{Format, GROUP};
use bessemer_simd::prefetch;
use std::arch::aarch64::*;

/// How far ahead memory is asked for, in bytes. The rows of a matrix follow each other, so what
/// lies behind one is needed next; what lies behind the last is not, and asking never faults.
const AHEAD: usize = 1 << 10;

/// Rows of weights times one row of activations.
pub(super) fn dots<F: Format, D: Dot>(
    weights: &Streams<'_>,
    x: &Row<'_>,
    groups: usize,
    sums: &mut Sums,
) {
    weights.each(sums, |row| dot::<F, D>(row, x.natural, groups));
}

fn dot<F: Format, D: Dot>(weights: &[u8], x: Tile<'_>, groups: usize) -> f32 {
    assert!(x.height == 1 && weights.len() >= groups / F::GROUPS * F::BYTES);
    assert!(x.bytes.len() >= groups * GROUP && x.steps.len() >= groups);
    assert!(if F::MINS { x.sums.len() } else { x.starts.len() / F::STARTS } >= groups);
    let mut mins = 0.0;
    // SAFETY: groups below `groups` are within the slices, by the assertions above; every machine
    // of this architecture has Advanced SIMD.
    unsafe {
        // Two sums, so that neither waits for the one before it.
        let mut totals = [vdupq_n_f32(0.0); 2];
        for (i, block) in weights.chunks_exact(F::BYTES).take(groups / F::GROUPS).enumerate() {
            for line in (0..F::BYTES).step_by(64) {
                prefetch::read(block.as_ptr().wrapping_add(AHEAD + line));
            }
            for (j, [d, m]) in F::scales(block).into_iter().enumerate().take(F::GROUPS) {
                let group = i * F::GROUPS + j;
                let [low, high] = F::levels128(block.as_ptr(), j);
                let bytes = x.bytes.as_ptr().add(group * GROUP).cast::<i8>();
                let (x_low, x_high) = (vld1q_s8(bytes), vld1q_s8(bytes.add(16)));
                let step = *x.steps.get_unchecked(group);
                let start = |i: usize| {
                    let at = x.starts.as_ptr().add(group * F::STARTS + i);
                    vsetq_lane_s32::<0>(*at, vdupq_n_s32(0))
                };
                if F::HALVES {
                    let low = vcvtq_f32_s32(D::dot(start(0), low, x_low));
                    let high = vcvtq_f32_s32(D::dot(start(1), high, x_high));
                    totals[0] = vfmaq_n_f32(totals[0], low, d * step);
                    totals[1] = vfmaq_n_f32(totals[1], high, m * step);
                    continue;
                }
                let start = if F::OFFSET != 0 { start(0) } else { vdupq_n_s32(0) };
                let sum = vcvtq_f32_s32(D::dot(D::dot(start, low, x_low), high, x_high));
                totals[group % 2] = vfmaq_n_f32(totals[group % 2], sum, d * step);
                if F::MINS {
                    mins += m * step * x.sums.get_unchecked(group);
                }
            }
        }
        vaddvq_f32(vaddq_f32(totals[0], totals[1])) + mins
    }
}
