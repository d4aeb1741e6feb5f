//! The kernels in plain Rust.

use super::{
    activations::{Row, Tile},
    few::{Streams, Sums},
    panel::{Panel, STRIP, STRIP_BYTES, STRIPS, WIDTH},
};
use bessemer_formats::{Format, GROUP};
use std::ops::Range;

/// Rows of weights times one row of activations.
pub(super) fn dots<F: Format>(weights: &Streams<'_>, x: &Row<'_>, groups: usize, sums: &mut Sums) {
    weights.each(sums, |row| dot::<F>(row, x.natural, groups));
}

fn dot<F: Format>(weights: &[u8], x: Tile<'_>, groups: usize) -> f32 {
    let mut total = 0.0;
    for group in 0..groups {
        let block = &weights[group / F::GROUPS * F::BYTES..][..F::BYTES];
        let levels = F::levels(block, group % F::GROUPS);
        let [d, m] = F::scales(block)[group % F::GROUPS];
        let x_levels = &x.bytes[group * GROUP..][..GROUP];
        let sum = |range: Range<usize>, start: i32| {
            let pairs = levels[range.clone()].iter().zip(&x_levels[range]);
            pairs.fold(start, |sum, (&w, &x)| sum + i32::from(w) * i32::from(x as i8)) as f32
        };
        let value = if F::HALVES {
            d * sum(0..16, x.starts[2 * group]) + m * sum(16..32, x.starts[2 * group + 1])
        } else if F::MINS {
            d * sum(0..32, 0) + m * x.sums[group]
        } else {
            d * sum(0..32, x.starts[group])
        };
        total += value * x.steps[group];
    }
    total
}

/// Lays out the levels of a strip.
pub(super) fn pack<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * STRIPS * STRIP_BYTES..][..STRIP_BYTES];
        for (i, row) in rows.iter().enumerate() {
            let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
            let levels = F::levels(block, group % F::GROUPS);
            for (j, four) in levels.as_chunks::<4>().0.iter().enumerate() {
                to[(j * STRIP + i) * 4..][..4].copy_from_slice(&four.map(|level| level as u8));
            }
        }
    }
}

/// A tile of rows times a panel.
pub(super) fn multiply<F: Format>(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool) {
    let height = x.height;
    if fresh {
        sums.fill(0.0);
    }
    for group in 0..panel.groups {
        for strip in 0..STRIPS {
            let at = group * STRIPS + strip;
            let levels = &panel.levels[at * STRIP_BYTES..][..STRIP_BYTES];
            let scales = &panel.scales[at * F::SCALES * STRIP..][..F::SCALES * STRIP];
            for row in 0..height {
                let part = |fours: Range<usize>, start: i32| {
                    let mut part = [start; STRIP];
                    for j in fours {
                        let x = &x.bytes[((group * 8 + j) * height + row) * 4..][..4];
                        let levels = &levels[j * STRIP * 4..][..STRIP * 4];
                        for (sum, four) in part.iter_mut().zip(levels.as_chunks::<4>().0) {
                            for i in 0..4 {
                                *sum += i32::from(four[i] as i8) * i32::from(x[i] as i8);
                            }
                        }
                    }
                    part
                };
                let step = x.steps[group * height + row];
                let out = &mut sums[row * WIDTH + strip * STRIP..][..STRIP];
                if F::HALVES {
                    let low = part(0..4, x.starts[2 * group * height + row]);
                    let high = part(4..8, x.starts[(2 * group + 1) * height + row]);
                    for i in 0..STRIP {
                        let value = scales[i] * low[i] as f32 + scales[STRIP + i] * high[i] as f32;
                        out[i] += value * step;
                    }
                } else {
                    let at = group * height + row;
                    let (start, sum) = if F::MINS { (0, x.sums[at]) } else { (x.starts[at], 0.0) };
                    let part = part(0..8, start);
                    for i in 0..STRIP {
                        let min = if F::MINS { scales[STRIP + i] * sum } else { 0.0 };
                        out[i] += (scales[i] * part[i] as f32 + min) * step;
                    }
                }
            }
        }
    }
}
