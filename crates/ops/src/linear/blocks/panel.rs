//! Weights unpacked for kernels that take many rows of activations: 32 columns side by side.

use super::{
    WeightRows,
    format::{Format, GROUP, scales},
};

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
pub(super) type PackLevels =
    fn(rows: &[&[u8]; STRIP], groups: std::ops::Range<usize>, to: &mut [u8]);

/// Unpacks `groups` of up to [`WIDTH`] columns from `column` on. Columns that are not there get
/// scales of 0.
pub(super) fn pack<'a, F: Format>(
    weights: &WeightRows<'_>,
    column: usize,
    groups: std::ops::Range<usize>,
    levels: &'a mut [u8],
    scales_out: &'a mut [f32],
    pack_levels: PackLevels,
) -> Panel<'a> {
    let count = groups.len();
    for strip in 0..2 {
        let first = column + strip * STRIP;
        let present = weights.count.saturating_sub(first).min(STRIP);
        let row = |i: usize| weights.row((first + i).min(weights.count - 1));
        let rows: [&[u8]; STRIP] = std::array::from_fn(row);
        pack_levels(&rows, groups.clone(), &mut levels[strip * STRIP_BYTES..]);
        for (i, row) in rows.iter().enumerate() {
            for (at, group) in groups.clone().enumerate() {
                let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
                let values =
                    if i < present { scales::<F>(block, group % F::GROUPS) } else { [0.0; 2] };
                let to = &mut scales_out[(at * 2 + strip) * F::SCALES * STRIP..];
                for (s, value) in values.into_iter().enumerate().take(F::SCALES) {
                    to[s * STRIP + i] = value;
                }
            }
        }
    }
    Panel { levels, scales: scales_out, groups: count }
}
