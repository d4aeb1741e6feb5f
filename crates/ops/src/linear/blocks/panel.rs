//! Weights unpacked for kernels that take many rows of activations: 32 columns side by side.

use super::{
    WeightRows,
    format::{Format, GROUP, block_scales},
};
use bessemer_simd::{Arch, Isa, Kernel, convert::f32x16_from_f16};
use std::{marker::PhantomData, ops::Range};

/// Columns of a strip: the lanes of the widest vector.
pub(super) const STRIP: usize = 16;
/// Columns of a panel.
pub(super) const WIDTH: usize = 2 * STRIP;
/// Groups unpacked at once: the panel stays in the first-level cache while all rows pass it.
pub(super) const DEPTH: usize = 16;
/// Bytes of the levels of a group of a strip.
pub(super) const STRIP_BYTES: usize = STRIP * GROUP;

/// Unpacked weights.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    /// By group, by strip, by fours of the group, by column: 4 levels.
    pub(super) levels: &'a [u8],
    /// By group, by strip: [`Format::SCALES`] times one number per column.
    pub(super) scales: &'a [f32],
    pub(super) groups: usize,
}

/// Bytes of levels, and how many scales, that a panel may need.
pub(super) const fn room<F: Format>() -> (usize, usize) {
    (DEPTH * 2 * STRIP_BYTES, DEPTH * WIDTH * F::SCALES)
}

/// Writes the levels of a strip: rows of weights, the first group and the number of groups, where
/// to; groups are two strips apart there.
pub(super) type PackLevels = fn(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]);

/// Unpacks `groups` of up to [`WIDTH`] columns from `column` on. Columns that are not there get
/// scales of 0.
pub(super) fn pack<'a, F: Format>(
    weights: &WeightRows<'_>,
    column: usize,
    groups: Range<usize>,
    levels: &'a mut [u8],
    scales: &'a mut [f32],
    pack_levels: PackLevels,
    isa: Isa,
) -> Panel<'a> {
    let count = groups.len();
    for strip in 0..2 {
        let first = column + strip * STRIP;
        let row = |i: usize| weights.row((first + i).min(weights.count - 1));
        let rows: [&[u8]; STRIP] = std::array::from_fn(row);
        pack_levels(&rows, groups.clone(), &mut levels[strip * STRIP_BYTES..]);
        let to = &mut scales[strip * F::SCALES * STRIP..];
        isa.run(PackScales::<F> { rows: &rows, groups: groups.clone(), to, format: PhantomData });
        let present = weights.count.saturating_sub(first).min(STRIP);
        if present < STRIP {
            for group in to.chunks_mut(2 * F::SCALES * STRIP) {
                group[..F::SCALES * STRIP].chunks_mut(STRIP).for_each(|to| to[present..].fill(0.0));
            }
        }
    }
    Panel { levels, scales, groups: count }
}

/// Writes the scales of a strip; groups are two strips apart.
struct PackScales<'a, F> {
    rows: &'a [&'a [u8]; STRIP],
    groups: Range<usize>,
    to: &'a mut [f32],
    format: PhantomData<F>,
}

impl<F: Format> Kernel for PackScales<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let (rows, to) = (self.rows, self.to);
        let size = 2 * F::SCALES * STRIP;
        if F::GROUPS == 1 {
            for (at, group) in self.groups.enumerate() {
                for s in 0..F::SCALES {
                    let place = group * F::BYTES + 2 * s;
                    let mut halves = [0; STRIP];
                    for (half, row) in halves.iter_mut().zip(rows) {
                        *half = u16::from_le_bytes([row[place], row[place + 1]]);
                    }
                    let to = &mut to[at * size + s * STRIP..][..STRIP];
                    to.copy_from_slice(&f32x16_from_f16::<A>(&halves));
                }
            }
            return;
        }
        let blocks = self.groups.start / F::GROUPS..self.groups.end / F::GROUPS;
        for (i, row) in rows.iter().enumerate() {
            for (at, block) in blocks.clone().enumerate() {
                let scales = block_scales::<F>(&row[block * F::BYTES..][..F::BYTES]);
                let to = &mut to[at * F::GROUPS * size..];
                for (group, scales) in scales.iter().enumerate() {
                    for (s, &scale) in scales.iter().enumerate() {
                        to[group * size + s * STRIP + i] = scale;
                    }
                }
            }
        }
    }
}
