//! Activations as signed bytes: each group of 32 is divided by a step of its own that makes its
//! largest magnitude 127, and laid out for the kernels.

use super::{
    super::Layer,
    format::{Format, GROUP},
};
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_simd::{Arch, Kernel};

/// Rows that kernels take at once; the last tile may have fewer.
pub(super) const TILE: usize = 6;

/// Quantised rows, in tiles of up to [`TILE`].
pub(super) struct Activations<'a> {
    pub(super) rows: usize,
    pub(super) groups: usize,
    starts_per_group: usize,
    bytes: &'a [u8],
    starts: &'a [i32],
    sums: &'a [f32],
    steps: &'a [f32],
    /// For each row, whether it holds what is not finite. Such rows are all zero here.
    pub(super) spoilt: &'a [u8],
}

/// One tile of `height` rows. The slices start at some group and go on to the end of the rows.
#[derive(Clone, Copy)]
pub(super) struct Tile<'a> {
    pub(super) height: usize,
    /// By group, by fours of it, by row: 4 signed bytes.
    pub(super) bytes: &'a [u8],
    /// By group, by half of it where those have scales, by row: what integer sums start from, so
    /// that they come out as if levels had no offset.
    pub(super) starts: &'a [i32],
    /// By group, by row: the sum of the bytes.
    pub(super) sums: &'a [f32],
    /// By group, by row: what a byte is worth.
    pub(super) steps: &'a [f32],
}

/// A single row, for the kernels that stream the weights.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// As a tile of one row.
    pub(super) natural: Tile<'a>,
    /// The bytes in the order the kernel takes them in, if it is another.
    pub(super) ordered: &'a [u8],
    /// What sums start from, in the order of the kernel.
    pub(super) starts: &'a [i32],
}

impl<'a> Row<'a> {
    /// For kernels that take things as they are.
    pub(super) fn plain(natural: Tile<'a>) -> Row<'a> {
        Row { natural, ordered: &[], starts: &[] }
    }
}

impl<'a> Activations<'a> {
    /// Quantises the rows of a layer. Sums will start from `bias`, less what levels are too large by:
    /// `offset` each.
    pub(super) fn new<F: Format>(
        cpu: &'a CpuContext<'_>,
        op: &Layer<'_>,
        offset: i32,
        bias: i32,
    ) -> Activations<'a> {
        let (rows, k, _) = op.sizes();
        let groups = k / GROUP;
        let bytes = cpu.scratch::<u8>(rows * k);
        let starts = cpu.scratch::<i32>(rows * groups * F::STARTS);
        let sums = cpu.scratch::<f32>(rows * groups);
        let steps = cpu.scratch::<f32>(rows * groups);
        let spoilt = cpu.scratch::<u8>(rows);
        spoilt.fill(0);
        {
            let tiles = rows.div_ceil(TILE);
            let workers = cpu.threads().min(tiles).max(1);
            let floats = Output::of(cpu.scratch::<f32>(workers * k));
            let bytes = Output::of(&mut *bytes);
            let (starts, sums) = (Output::of(&mut *starts), Output::of(&mut *sums));
            let (steps, spoilt) = (Output::of(&mut *steps), Output::of(&mut *spoilt));
            let (source, isa) = (cpu.rows(op.x), cpu.isa());
            cpu.run(workers, |worker| {
                // SAFETY: each worker has its own piece, and each tile belongs to one worker.
                let row = unsafe { floats.range(worker * k..(worker + 1) * k) };
                for tile in tiles * worker / workers..tiles * (worker + 1) / workers {
                    let first = tile * TILE;
                    let height = TILE.min(rows - first);
                    let (from, to) = (first * groups, (first + height) * groups);
                    let per = F::STARTS;
                    // SAFETY: as above.
                    let (bytes, starts, sums, steps, spoilt) = unsafe {
                        (
                            bytes.range(from * GROUP..to * GROUP),
                            starts.range(from * per..to * per),
                            sums.range(from..to),
                            steps.range(from..to),
                            spoilt.range(first..first + height),
                        )
                    };
                    for (i, spoilt) in spoilt.iter_mut().enumerate() {
                        source.load(op.row(first + i), row);
                        let finite = isa.run(QuantiseRow {
                            x: row,
                            row: i,
                            height,
                            per,
                            offset,
                            bias,
                            bytes,
                            starts,
                            sums,
                            steps,
                        });
                        *spoilt = u8::from(!finite);
                    }
                }
            });
        }
        Activations {
            rows,
            groups,
            starts_per_group: F::STARTS,
            bytes,
            starts,
            sums,
            steps,
            spoilt,
        }
    }

    /// Tile `tile` from group `group` on.
    pub(super) fn tile(&self, tile: usize, group: usize) -> Tile<'a> {
        let first = tile * TILE;
        let height = TILE.min(self.rows - first);
        let (from, to) = (first * self.groups + group * height, (first + height) * self.groups);
        let per = self.starts_per_group;
        Tile {
            height,
            bytes: &self.bytes[from * GROUP..to * GROUP],
            starts: &self.starts[from * per..to * per],
            sums: &self.sums[from..to],
            steps: &self.steps[from..to],
        }
    }
}

struct QuantiseRow<'a> {
    x: &'a [f32],
    row: usize,
    height: usize,
    per: usize,
    offset: i32,
    bias: i32,
    bytes: &'a mut [u8],
    starts: &'a mut [i32],
    sums: &'a mut [f32],
    steps: &'a mut [f32],
}

impl Kernel for QuantiseRow<'_> {
    /// Whether all of the row is finite.
    type Output = bool;

    #[inline(always)]
    fn run<A: Arch>(self) -> bool {
        let QuantiseRow { x, row, height, per, offset, bias, bytes, starts, sums, steps } = self;
        let mut all_finite = true;
        let (groups, _) = x.as_chunks::<GROUP>();
        for (g, group) in groups.iter().enumerate() {
            // Magnitudes order like their bits; what is not finite comes last.
            let top = group.iter().fold(0, |top, x| top.max(x.to_bits() & 0x7fff_ffff));
            let peak = f32::from_bits(top);
            all_finite &= peak.is_finite();
            // Too small for 127 / peak to be finite is as good as zero.
            let usable = peak.is_finite() && peak > 1e-30;
            let (step, inverse) = if usable { (peak / 127.0, 127.0 / peak) } else { (0.0, 0.0) };
            let mut ints = [0i32; GROUP];
            if usable {
                for (int, x) in ints.iter_mut().zip(group) {
                    // Adding 1.5·2²³ leaves the nearest integer in the low bits.
                    *int = (x * inverse + MAGIC).to_bits() as i32 - MAGIC_BITS;
                }
            }
            let halves: [i32; 2] = [ints[..16].iter().sum(), ints[16..].iter().sum()];
            let levels = ints.map(|int| int as u8);
            let (fours, _) = levels.as_chunks::<4>();
            for (j, four) in fours.iter().enumerate() {
                let at = ((g * 8 + j) * height + row) * 4;
                bytes[at..at + 4].copy_from_slice(four);
            }
            if per == 2 {
                starts[2 * g * height + row] = bias - offset * halves[0];
                starts[(2 * g + 1) * height + row] = bias - offset * halves[1];
            } else {
                starts[g * height + row] = bias - offset * (halves[0] + halves[1]);
            }
            sums[g * height + row] = (halves[0] + halves[1]) as f32;
            steps[g * height + row] = step;
        }
        all_finite
    }
}

/// 1.5·2²³: added to a small number it leaves the nearest integer in the lowest bits.
pub(super) const MAGIC: f32 = 12_582_912.0;
/// Its bits: an integer sum that starts from here is, as a float, `MAGIC` plus the sum.
pub(super) const MAGIC_BITS: i32 = 0x4b40_0000;
