//! Activations as signed bytes (or pairs of them, for dense weights): each span of groups is divided
//! by a step of its own that makes its largest magnitude 127, and laid out for the kernels.

use super::super::Layer;
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_formats::{GROUP, Grouped};
use bessemer_simd::{Arch, Isa, Kernel};
use std::marker::PhantomData;

/// Numbers that are worth a thread's while.
const LEAST: usize = 8 << 10;

/// The most rows that kernels take at once.
pub(super) const TILE: usize = 8;

/// How activations are quantised for a kernel.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// Groups that share a step.
    pub(super) span: usize,
    /// What levels of the weights are too large by.
    pub(super) offset: i32,
    /// What integer sums start from.
    pub(super) bias: i32,
}

/// How fine activations are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Detail {
    /// A byte each.
    Bytes,
    /// Two bytes each: the lower ones of a row are a row of their own, behind that of the upper ones.
    TwoBytes,
}

impl Detail {
    /// The rows that a row becomes. Their products together are those of the row.
    pub(super) const fn parts(self) -> &'static [Part] {
        match self {
            Detail::Bytes => &[Part::Whole],
            Detail::TwoBytes => &[Part::Upper, Part::Lower],
        }
    }
}

/// What of a row is laid out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// All of it, a byte for each number.
    Whole,
    /// The upper bytes of two.
    Upper,
    /// The lower bytes, signed, which are worth [`FINER`] times less.
    Lower,
}

impl Part {
    /// Levels that a level of [`Part::Whole`] is divided into before it is rounded.
    pub(super) const fn finer(self) -> f32 {
        if matches!(self, Part::Whole) { 1.0 } else { FINER }
    }

    /// What a level is worth if one of [`Part::Whole`] is worth `step`.
    pub(super) const fn step(self, step: f32) -> f32 {
        if matches!(self, Part::Lower) { step / FINER } else { step }
    }

    /// The byte of this part of a level.
    #[inline(always)]
    fn of(self, level: i32) -> i32 {
        let upper = (level + 128) >> 8;
        match self {
            Part::Whole => level,
            Part::Upper => upper,
            // -128 has no opposite, which some kernels take; -127 is as good.
            Part::Lower => (level - (upper << 8)).max(-127),
        }
    }
}

/// Levels of two bytes in one of a byte.
pub(super) const FINER: f32 = 256.0;

/// A row, and what of it is laid out.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) x: &'a [f32],
    pub(super) part: Part,
}

/// Quantised rows, in tiles of up to [`TILE`].
pub(super) struct Activations<'a> {
    /// Rows, after each became as many as it takes.
    pub(super) laid_out: usize,
    groups: usize,
    /// Bytes of a group.
    group_bytes: usize,
    /// Groups that lie together, for all tiles, before the next ones follow.
    depth: usize,
    starts_per_group: usize,
    sums_per_group: usize,
    bytes: &'a [u8],
    starts: &'a [i32],
    sums: &'a [f32],
    steps: &'a [f32],
    /// For each row, whether it holds what is not finite. Such rows are all zero here.
    pub(super) spoilt: &'a [u8],
}

/// Some groups of one tile of `height` rows.
#[derive(Clone, Copy)]
pub(super) struct Tile<'a> {
    pub(super) height: usize,
    /// By group, by fours of it (or pairs, of two bytes each), by row: 4 bytes, signed.
    pub(super) bytes: &'a [u8],
    /// By group, by half of it where those have scales, by row: what integer sums start from, so
    /// that they come out as if levels had no offset. Empty for formats with minima, which have no
    /// offset.
    pub(super) starts: &'a [i32],
    /// By group, by row: the sum of the bytes. Only for formats with minima.
    pub(super) sums: &'a [f32],
    /// By group, by row: what a byte is worth.
    pub(super) steps: &'a [f32],
}

/// A single row, for the kernels that stream the weights.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Only there is another order in use.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// As a tile of one row.
    pub(super) natural: Tile<'a>,
    /// The bytes in the order the kernel takes them in, if it is another.
    pub(super) ordered: &'a [u8],
    /// The lower bytes in the same order, if the kernel takes two bytes at once: steps and sums are
    /// those of both together then.
    pub(super) lower: &'a [u8],
    /// What sums start from, in the order of the kernel.
    pub(super) starts: &'a [i32],
}

impl<'a> Row<'a> {
    /// For kernels that take things as they are.
    pub(super) fn plain(natural: Tile<'a>) -> Row<'a> {
        Row { natural, ordered: &[], lower: &[], starts: &[] }
    }
}

impl<'a> Activations<'a> {
    /// Quantises the rows of a layer, in tiles of `tile` rows, to be taken `depth` groups at a time.
    pub(super) fn new<F: Grouped>(
        cpu: &'a CpuContext<'_>,
        op: &Layer<'_>,
        rule: Rule,
        detail: Detail,
        tile: usize,
        depth: usize,
        quantise: Quantise,
    ) -> Activations<'a> {
        let (given, k, _) = op.sizes();
        let (groups, group_bytes) = (k / GROUP, GROUP * F::LEVEL);
        let parts = detail.parts();
        let rows = given * parts.len();
        let (starts_per_group, sums_per_group) = if F::MINS { (0, 1) } else { (F::STARTS, 0) };
        let bytes = cpu.scratch::<u8>(rows * groups * group_bytes);
        let starts = cpu.scratch::<i32>(rows * groups * starts_per_group);
        let sums = cpu.scratch::<f32>(rows * groups * sums_per_group);
        let steps = cpu.scratch::<f32>(rows * groups);
        let spoilt = cpu.scratch::<u8>(given);
        spoilt.fill(0);
        {
            let tiles = rows.div_ceil(tile);
            // What takes less than a microsecond is not worth another thread's while.
            let workers = cpu.threads().min(tiles).min(rows * k / LEAST).max(1);
            // For each row of a tile room for what it is in floats.
            let room = tile * k;
            let floats = Output::of(cpu.scratch::<f32>(workers * room));
            let bytes = Output::of(&mut *bytes);
            let (starts, sums) = (Output::of(&mut *starts), Output::of(&mut *sums));
            let (steps, spoilt) = (Output::of(&mut *steps), Output::of(&mut *spoilt));
            let (source, isa) = (cpu.rows(op.x), cpu.isa());
            cpu.run(workers, |worker| {
                // SAFETY: each worker has its own piece, and each tile belongs to one worker.
                let floats = unsafe { floats.range(worker * room..(worker + 1) * room) };
                for tile_number in tiles * worker / workers..tiles * (worker + 1) / workers {
                    let first = tile_number * tile;
                    let height = tile.min(rows - first);
                    let mut x = [Source { x: &[], part: Part::Whole }; TILE];
                    for (i, floats) in floats.chunks_mut(k).enumerate().take(height) {
                        let row = first + i;
                        x[i].x = source.get(op.row(row / parts.len()), floats);
                        x[i].part = parts[row % parts.len()];
                    }
                    let mut finite = [true; TILE];
                    for group in (0..groups).step_by(depth) {
                        let depth = depth.min(groups - group);
                        let from = rows * group + first * depth;
                        let to = from + height * depth;
                        // SAFETY: as above.
                        let place = unsafe {
                            Place {
                                bytes: bytes.range(from * group_bytes..to * group_bytes),
                                starts: starts
                                    .range(from * starts_per_group..to * starts_per_group),
                                sums: sums.range(from * sums_per_group..to * sums_per_group),
                                steps: steps.range(from..to),
                            }
                        };
                        let mut here = x;
                        for x in &mut here[..height] {
                            x.x = &x.x[group * GROUP..(group + depth) * GROUP];
                        }
                        quantise(isa, &here[..height], rule, place, &mut finite);
                    }
                    for (row, finite) in (first..first + height).zip(finite) {
                        if row % parts.len() == 0 {
                            let row = row / parts.len();
                            // SAFETY: as above.
                            let spoilt = unsafe { spoilt.range(row..row + 1) };
                            spoilt[0] = u8::from(!finite);
                        }
                    }
                }
            });
        }
        Activations {
            laid_out: rows,
            groups,
            group_bytes,
            depth,
            starts_per_group,
            sums_per_group,
            bytes,
            starts,
            sums,
            steps,
            spoilt,
        }
    }

    /// The groups from `group` on that lie together, of the `height` rows of a tile from row
    /// `first` on.
    #[inline]
    pub(super) fn tile(&self, first: usize, height: usize, group: usize) -> Tile<'a> {
        let depth = self.depth.min(self.groups - group);
        let from = self.laid_out * group + first * depth;
        let to = from + height * depth;
        let (starts, sums) = (self.starts_per_group, self.sums_per_group);
        Tile {
            height,
            bytes: &self.bytes[from * self.group_bytes..to * self.group_bytes],
            starts: &self.starts[from * starts..to * starts],
            sums: &self.sums[from * sums..to * sums],
            steps: &self.steps[from..to],
        }
    }
}

/// Where the rows of a tile go: the slices of [`Tile`].
pub(super) struct Place<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) starts: &'a mut [i32],
    pub(super) sums: &'a mut [f32],
    pub(super) steps: &'a mut [f32],
}

/// Quantises whole spans of groups of the rows of a tile. Those that are not finite are marked.
pub(super) type Quantise =
    fn(isa: Isa, rows: &[Source<'_>], rule: Rule, place: Place<'_>, finite: &mut [bool; TILE]);

/// In plain Rust.
pub(super) fn quantise<F: Grouped>(
    isa: Isa,
    rows: &[Source<'_>],
    rule: Rule,
    mut place: Place<'_>,
    finite: &mut [bool; TILE],
) {
    for (row, &source) in rows.iter().enumerate() {
        let (height, place) = (rows.len(), &mut place);
        finite[row] &=
            isa.run(QuantiseRow::<F> { source, rule, row, height, place, format: PhantomData });
    }
}

/// One row of a tile. Returns whether all of it is finite.
struct QuantiseRow<'a, 'p, F> {
    source: Source<'a>,
    rule: Rule,
    row: usize,
    height: usize,
    place: &'a mut Place<'p>,
    format: PhantomData<F>,
}

/// The largest magnitude. What is not finite comes last, since magnitudes order like their bits.
#[inline(always)]
fn peak(x: &[f32]) -> f32 {
    f32::from_bits(x.iter().fold(0, |top, x| top.max(x.to_bits() & 0x7fff_ffff)))
}

/// Magnitudes up to this are as good as zero: what 1 is in levels would not be finite.
pub(super) const NOTHING: f32 = 1e-30;

/// What a level is worth, and how many levels 1 is, where the largest magnitude is `peak` and
/// becomes level `top`.
#[inline(always)]
pub(super) fn step(peak: f32, top: f32) -> (f32, f32) {
    let usable = peak.is_finite() && peak > NOTHING;
    if usable { (peak / top, top / peak) } else { (0.0, 0.0) }
}

impl<F: Grouped> Kernel for QuantiseRow<'_, '_, F> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arch>(self) -> bool {
        let QuantiseRow { source: Source { x, part }, rule, row, height, place, .. } = self;
        let Place { bytes, starts, sums, steps } = place;
        let mut all_finite = true;
        let (groups, _) = x.as_chunks::<GROUP>();
        for (s, span) in groups.chunks(rule.span).enumerate() {
            let peak = peak(span.as_flattened());
            all_finite &= peak.is_finite();
            let (step, inverse) = step(peak, BYTE);
            let (step, inverse) = (part.step(step), inverse * part.finer());
            for (i, group) in span.iter().enumerate() {
                let g = s * rule.span + i;
                let mut ints = [0i32; GROUP];
                if inverse != 0.0 {
                    for (int, x) in ints.iter_mut().zip(group) {
                        // Adding 1.5·2²³ leaves the nearest integer in the low bits.
                        *int = part.of((x * inverse + MAGIC).to_bits() as i32 - MAGIC_BITS);
                    }
                }
                let halves: [i32; 2] = [ints[..16].iter().sum(), ints[16..].iter().sum()];
                let levels = ints.map(|int| int as u8);
                let (fours, _) = levels.as_chunks::<4>();
                for (j, four) in fours.iter().enumerate() {
                    let at = ((g * 8 + j) * height + row) * 4;
                    bytes[at..at + 4].copy_from_slice(four);
                }
                if F::MINS {
                    sums[g * height + row] = (halves[0] + halves[1]) as f32;
                } else if F::HALVES {
                    starts[2 * g * height + row] = rule.bias - rule.offset * halves[0];
                    starts[(2 * g + 1) * height + row] = rule.bias - rule.offset * halves[1];
                } else {
                    starts[g * height + row] = rule.bias - rule.offset * (halves[0] + halves[1]);
                }
                steps[g * height + row] = step;
            }
        }
        all_finite
    }
}

/// The largest level that activations have as bytes.
pub(super) const BYTE: f32 = 127.0;

/// 1.5·2²³: added to a small number it leaves the nearest integer in the lowest bits.
pub(super) const MAGIC: f32 = 12_582_912.0;
/// Its bits: an integer sum that starts from here is, as a float, `MAGIC` plus the sum.
pub(super) const MAGIC_BITS: i32 = 0x4b40_0000;
