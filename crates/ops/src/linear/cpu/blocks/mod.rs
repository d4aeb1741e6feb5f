//! Linear layers in integers: with weights in block formats and, for many rows on some machines, with
//! dense ones of two bytes.
//!
//! A few rows of activations stream the weights as they lie in memory. More rows share the work of
//! unpacking them: panels of 32 columns are laid out for the kernel and used by all rows.

mod activations;
#[cfg(target_arch = "aarch64")]
mod arm;
pub(super) mod few;
mod many;
mod panel;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::{Layer, out::Out};
use activations::{Detail, Quantise, Row, Rule, Tile};
use bessemer_core::{View, cpu::CpuContext};
use bessemer_formats::{Format, Grouped, with_format};
use bessemer_simd::{Isa, prefetch};
use few::{Input, Streams, Sums};
use panel::{PackLevels, PackScales, Panel};

/// A layer of more than a few rows, or an empty one.
pub(super) fn linear(layer: &Layer<'_>, cpu: &CpuContext<'_>) {
    with_format!(layer.weight.dtype(), F => run::<F>(layer, cpu));
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::wide512::dense;

/// There is no integer code for dense weights here.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn dense(_: &Layer<'_>, _: &CpuContext<'_>) -> bool {
    false
}

/// The rows of a weight matrix, each without gaps.
struct WeightRows<'a> {
    bytes: &'a [u8],
    first: usize,
    step: isize,
    row_bytes: usize,
    count: usize,
}

impl<'a> WeightRows<'a> {
    fn new(cpu: &'a CpuContext<'_>, weight: &View) -> WeightRows<'a> {
        let (dtype, shape) = (weight.dtype(), weight.shape());
        let (len, bytes) = (dtype.block_len() as isize, dtype.block_bytes() as isize);
        WeightRows {
            bytes: cpu.bytes(weight),
            first: weight.offset() - weight.range().start,
            step: weight.strides()[0] / len * bytes,
            row_bytes: shape[1] / dtype.block_len() * dtype.block_bytes(),
            count: shape[0],
        }
    }

    fn row(&self, row: usize) -> &'a [u8] {
        let start = self.first.wrapping_add_signed(row as isize * self.step);
        &self.bytes[start..start + self.row_bytes]
    }

    /// Asks for `depth` groups of a row, if it is there.
    fn fetch<F: Grouped>(&self, row: usize, group: usize, depth: usize) {
        if row < self.count {
            let start = self.row(row).as_ptr().wrapping_add(group / F::GROUPS * F::BYTES);
            for line in (0..depth / F::GROUPS * F::BYTES).step_by(64) {
                prefetch::read_later(start.wrapping_add(line));
            }
        }
    }
}

/// The dot products of rows of weights with one row of activations.
type Dots = fn(weights: &Streams<'_>, x: &Row<'_>, groups: usize, sums: &mut Sums);

/// Prepares the rows of a layer's activations for [`Dots`].
type Prepare = for<'a> fn(cpu: &'a CpuContext<'_>, layer: &Layer<'_>, detail: Detail) -> Input<'a>;

/// Adds a tile of rows times a panel to sums of [`panel::WIDTH`] columns per row, or, if they are
/// `fresh`, replaces them by it.
type Multiply = fn(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool);

/// The code for one format on one instruction set.
struct Kernels {
    rows: Rows,
    tiles: Tiles,
}

/// For a few rows of activations, one by one.
struct Rows {
    prepare: Prepare,
    dots: Dots,
}

/// For many rows of activations, a tile at a time.
struct Tiles {
    /// Rows of a tile; the last one may have fewer.
    height: usize,
    quantise: Quantise,
    /// How activations are quantised for `multiply`.
    rule: Rule,
    pack: PackLevels,
    scales: PackScales,
    multiply: Multiply,
}

impl Kernels {
    /// The kernels for an instruction set that this machine has, as every [`CpuContext`]'s is.
    fn of<F: Format>(isa: Isa) -> Kernels {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::avx512::<F>(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::avx2::<F>(),
            #[cfg(target_arch = "aarch64")]
            Isa::NeonDot => arm::with_dot::<F>(),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => arm::plain::<F>(),
            _ => Kernels::portable::<F>(),
        }
    }

    fn portable<F: Format>() -> Kernels {
        let rule = Rule { span: 1, offset: F::OFFSET, bias: 0 };
        let quantise = activations::quantise::<F>;
        Kernels {
            rows: Rows { prepare: few::prepare::<F>, dots: portable::dots::<F> },
            tiles: Tiles {
                height: 6,
                quantise,
                rule,
                pack: portable::pack::<F>,
                scales: panel::pack_scales::<F>,
                multiply: portable::multiply::<F>,
            },
        }
    }
}

fn run<F: Format>(op: &Layer<'_>, cpu: &CpuContext<'_>) {
    let (rows, k, n) = op.sizes();
    if rows == 0 || n == 0 {
        return;
    }
    if k == 0 {
        // Sums of nothing.
        let out = Out::new(op, cpu);
        let zeros = cpu.scratch::<f32>(n);
        zeros.fill(0.0);
        // SAFETY: nobody else writes.
        (0..rows).for_each(|row| unsafe { out.store(row, 0, zeros) });
        return;
    }
    with_tiles::<F>(op, cpu, &Kernels::of::<F>(cpu.isa()).tiles);
}

fn with_tiles<F: Grouped>(op: &Layer<'_>, cpu: &CpuContext<'_>, kernels: &Tiles) {
    let (weights, out) = (WeightRows::new(cpu, op.weight), Out::new(op, cpu));
    let (x, columns) = many::linear::<F>(op, cpu, kernels, &weights, &out);
    exact_where_spoilt(op, cpu, x.spoilt, columns, &out);
}

/// Replaces the results of rows of `x` with a NaN or an infinity, and of such columns (1 for each that
/// is one; no columns if they are all right), by what plain arithmetic gives.
fn exact_where_spoilt(
    op: &Layer<'_>,
    cpu: &CpuContext<'_>,
    rows: &[u8],
    columns: &[u8],
    out: &Out<'_>,
) {
    let (_, k, n) = op.sizes();
    let some = columns.contains(&1);
    for row in (0..rows.len()).filter(|&row| some || rows[row] != 0) {
        let (x, weights) = (cpu.rows(op.x), cpu.rows(op.weight));
        let mut values = vec![0.0; k];
        x.load(op.row(row), &mut values);
        let spoilt = |column: usize| rows[row] != 0 || columns[column] != 0;
        cpu.split(n, 64, |part| {
            let mut weight = vec![0.0; k];
            for column in part.filter(|&column| spoilt(column)) {
                weights.load(column, &mut weight);
                let sum: f32 = values.iter().zip(&weight).map(|(x, w)| x * w).sum();
                // SAFETY: each column belongs to one task.
                unsafe { out.store(row, column, &[sum]) };
            }
        });
    }
}
