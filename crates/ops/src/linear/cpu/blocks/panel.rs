//! Weights unpacked for kernels that take many rows of activations: 32 columns side by side.

use super::{Tiles, WeightRows, activations::MAGIC};
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_formats::{Format, GROUP, Grouped};
use bessemer_simd::{Arch, Isa, Kernel, convert::f32x16_from_f16};
use std::{marker::PhantomData, ops::Range};

/// Columns of a strip: the lanes of the widest vector.
pub(super) const STRIP: usize = 16;
/// Strips of a panel.
pub(super) const STRIPS: usize = 2;
/// Columns of a panel.
pub(super) const WIDTH: usize = STRIPS * STRIP;
/// The most groups unpacked at once, where levels are a byte: the panel stays in the first-level
/// cache while all rows pass it.
const DEPTH: usize = 16;
/// Bytes of the levels of a group of a strip, where levels are a byte.
pub(super) const STRIP_BYTES: usize = STRIP * GROUP;

/// How many of `groups` are unpacked at once: about the same number each time, of whole blocks.
pub(super) fn depth<F: Grouped>(groups: usize) -> usize {
    let times = groups.div_ceil(DEPTH / F::LEVEL).max(1);
    groups.div_ceil(times).next_multiple_of(F::GROUPS).max(1)
}

/// Unpacked weights.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Only there sums start from elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    /// By group, by strip, by fours of the group (or pairs), by column: 4 levels (or 2).
    pub(super) levels: &'a [u8],
    /// By group, by strip: [`Grouped::SCALES`] times one number per column.
    pub(super) scales: &'a [f32],
    /// By span of groups, by strip, by column: what a span of sums that start from the bits of
    /// [`MAGIC`] is too large by, negative. Only for kernels with such sums.
    pub(super) excess: &'a [f32],
    pub(super) groups: usize,
}

/// Writes the levels of a strip: rows of weights, the groups of them, where to; groups are a
/// whole panel apart there.
pub(super) type PackLevels = fn(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]);

/// Writes the scales of a strip; groups are a whole panel apart.
pub(super) type PackScales =
    fn(isa: Isa, rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [f32]);

/// Memory for the panels of all workers.
pub(super) struct PanelRoom<'a> {
    levels: Output<'a, u8>,
    scales: Output<'a, f32>,
    excess: Output<'a, f32>,
}

impl<'a> PanelRoom<'a> {
    pub(super) fn new(cpu: &'a CpuContext<'_>, workers: usize) -> PanelRoom<'a> {
        PanelRoom {
            levels: Output::of(cpu.scratch(workers * DEPTH * STRIPS * STRIP_BYTES)),
            scales: Output::of(cpu.scratch(workers * DEPTH * 2 * WIDTH)),
            excess: Output::of(cpu.scratch(workers * DEPTH * WIDTH)),
        }
    }

    /// Unpacks `groups` of up to [`WIDTH`] columns from `column` on. Columns that are not there
    /// get scales of 0.
    ///
    /// # Safety
    /// Nobody else may be using the memory of this worker.
    pub(super) unsafe fn pack<F: Grouped>(
        &self,
        worker: usize,
        weights: &WeightRows<'_>,
        column: usize,
        groups: Range<usize>,
        kernels: &Tiles,
        isa: Isa,
    ) -> Panel<'_> {
        let piece = |size: usize| worker * size..(worker + 1) * size;
        // SAFETY: as the caller promises.
        let (levels, scales, excess) = unsafe {
            (
                self.levels.range(piece(DEPTH * STRIPS * STRIP_BYTES)),
                self.scales.range(piece(DEPTH * 2 * WIDTH)),
                self.excess.range(piece(DEPTH * WIDTH)),
            )
        };
        let (count, size) = (groups.len(), F::SCALES * STRIP);
        for strip in 0..STRIPS {
            let first = column + strip * STRIP;
            let row = |i: usize| weights.row((first + i).min(weights.count - 1));
            let rows: [&[u8]; STRIP] = std::array::from_fn(row);
            (kernels.pack)(&rows, groups.clone(), &mut levels[strip * STRIP_BYTES * F::LEVEL..]);
            let to = &mut scales[strip * size..];
            (kernels.scales)(isa, &rows, groups.clone(), to);
            let present = weights.count.saturating_sub(first).min(STRIP);
            if present < STRIP {
                for group in to.chunks_mut(STRIPS * size) {
                    group[..size].chunks_mut(STRIP).for_each(|to| to[present..].fill(0.0));
                }
            }
        }
        if kernels.rule.bias != 0 {
            let (scales, span) = (&scales[..count * STRIPS * size], kernels.rule.span);
            isa.run(Excess::<F> { scales, span, excess, format: PhantomData });
        }
        Panel { levels, scales, excess, groups: count }
    }
}

/// Writes what spans of sums are too large by, from their scales.
struct Excess<'a, F> {
    scales: &'a [f32],
    span: usize,
    excess: &'a mut [f32],
    format: PhantomData<F>,
}

impl<F: Grouped> Kernel for Excess<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let (scales, _) = self.scales.as_chunks::<STRIP>();
        let (excess, _) = self.excess.as_chunks_mut::<STRIP>();
        let summed = if F::HALVES { 2 } else { 1 };
        for (i, span) in scales.chunks(STRIPS * F::SCALES * self.span).enumerate() {
            for strip in 0..STRIPS {
                let mut sum = [0.0; STRIP];
                for group in span.chunks(STRIPS * F::SCALES) {
                    for d in &group[strip * F::SCALES..][..summed] {
                        sum.iter_mut().zip(d).for_each(|(sum, d)| *sum -= MAGIC * d);
                    }
                }
                excess[STRIPS * i + strip] = sum;
            }
        }
    }
}

/// Writes the scales of a strip, in plain Rust.
pub(super) fn pack_scales<F: Format>(
    isa: Isa,
    rows: &[&[u8]; STRIP],
    groups: Range<usize>,
    to: &mut [f32],
) {
    isa.run(Scales::<F> { rows, groups, to, format: PhantomData });
}

struct Scales<'a, F> {
    rows: &'a [&'a [u8]; STRIP],
    groups: Range<usize>,
    to: &'a mut [f32],
    format: PhantomData<F>,
}

impl<F: Format> Kernel for Scales<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let (rows, to) = (self.rows, self.to);
        let size = STRIPS * F::SCALES * STRIP;
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
                let scales = F::scales(&row[block * F::BYTES..][..F::BYTES]);
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
