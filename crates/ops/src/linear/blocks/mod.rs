//! Linear layers with weights in block formats, in integers.
//!
//! One row of activations streams the weights as they lie in memory. More rows share the work of
//! unpacking them: panels of 32 columns are laid out for the kernel and used by all rows.

mod activations;
mod format;
mod one_row;
mod panel;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::{Layer, out::Out};
use activations::{Activations, MAGIC_BITS, Row, TILE, Tile};
use bessemer_core::{
    View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::Isa;
use format::Format;
use panel::{DEPTH, PackLevels, Panel, WIDTH};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Evaluates an expression with a type for the format that a dtype is.
macro_rules! with_format {
    ($dtype:expr, $format:ident => $value:expr) => {
        with_format!(@ $dtype, $format, $value, Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q4_K Q5_K Q6_K)
    };
    (@ $dtype:expr, $format:ident, $value:expr, $($name:ident)*) => {
        match $dtype {
            $(bessemer_core::DType::$name => {
                type $format = $crate::linear::blocks::format::$name;
                $value
            })*
            _ => unreachable!("a block format"),
        }
    };
}
use with_format;

/// Layers of the same activations.
pub(super) fn linears(layers: &[Layer<'_>], cpu: &CpuContext<'_>) {
    let alone = |layer: &Layer<'_>| {
        let (rows, k, n) = layer.sizes();
        rows == 1 && k > 0 && n > 0
    };
    if layers.iter().all(alone) {
        return one_row::linears(layers, cpu);
    }
    for layer in layers {
        cpu.scoped(|cpu| with_format!(layer.weight.dtype(), F => run::<F>(layer, cpu)));
    }
}

/// The rows of a weight matrix in a block format.
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
}

/// The dot products of up to [`STREAMS`] rows of weights with one row of activations.
type Dots = fn(rows: &[&[u8]], x: &Row<'_>, groups: usize, sums: &mut [f32]);

/// Prepares one row of activations.
type Prepare = for<'a> fn(cpu: &'a CpuContext<'_>, x: Tile<'a>) -> Row<'a>;

/// Adds a tile of rows times a panel to sums of [`WIDTH`] columns per row.
type Multiply = fn(panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]);

/// The code for one format on one instruction set.
struct Kernels {
    prepare: Prepare,
    dots: Dots,
    /// What levels are too large by when there is one row.
    row_offset: i32,
    pack: PackLevels,
    multiply: Multiply,
    /// What levels in panels are too large by.
    offset: i32,
    /// What integer sums of panels start from.
    bias: i32,
}

impl Kernels {
    /// The kernels for an instruction set that this machine has, as every [`CpuContext`]'s is.
    fn of<F: Format>(isa: Isa) -> Kernels {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::avx512::<F>(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::avx2::<F>(),
            _ => Kernels {
                prepare: |_, x| Row::plain(x),
                dots: portable::dots::<F>,
                row_offset: F::OFFSET,
                pack: portable::pack::<F>,
                multiply: portable::multiply::<F>,
                offset: F::OFFSET,
                bias: 0,
            },
        }
    }
}

fn run<F: Format>(op: &Layer<'_>, cpu: &CpuContext<'_>) {
    let (rows, k, n) = op.sizes();
    let out = Out::new(op, cpu);
    if rows == 0 || n == 0 {
        return;
    }
    let kernels = Kernels::of::<F>(cpu.isa());
    let weights = WeightRows::new(cpu, op.weight);
    let groups = k / format::GROUP;
    if groups == 0 {
        // Sums of nothing.
        let zeros = cpu.scratch::<f32>(n);
        zeros.fill(0.0);
        // SAFETY: nobody else writes.
        (0..rows).for_each(|row| unsafe { out.store(row, 0, zeros) });
        return;
    }
    let x = Activations::new::<F>(cpu, op, kernels.offset, kernels.bias);
    let (panels, isa) = (n.div_ceil(WIDTH), cpu.isa());
    let workers = cpu.threads().min(panels);
    let (level_room, scale_room) = panel::room::<F>();
    let levels = Output::of(cpu.scratch::<u8>(workers * level_room));
    let scales = Output::of(cpu.scratch::<f32>(workers * scale_room));
    let sums = Output::of(cpu.scratch::<f32>(workers * ROWS * WIDTH));
    for first_row in (0..rows).step_by(ROWS) {
        let rows = first_row..rows.min(first_row + ROWS);
        let next = AtomicUsize::new(0);
        cpu.run(workers, |worker| {
            // SAFETY: each worker has its own pieces.
            let (levels, scales, sums) = unsafe {
                (
                    levels.range(worker * level_room..(worker + 1) * level_room),
                    scales.range(worker * scale_room..(worker + 1) * scale_room),
                    sums.range(worker * ROWS * WIDTH..(worker + 1) * ROWS * WIDTH),
                )
            };
            loop {
                let panel = next.fetch_add(1, Ordering::Relaxed);
                if panel >= panels {
                    break;
                }
                let column = panel * WIDTH;
                sums[..rows.len() * WIDTH].fill(0.0);
                for group in (0..groups).step_by(DEPTH) {
                    let depth = group..groups.min(group + DEPTH);
                    let pack = panel::pack::<F>;
                    let panel = pack(&weights, column, depth, levels, scales, kernels.pack, isa);
                    let tiles = sums[..rows.len() * WIDTH].chunks_mut(TILE * WIDTH);
                    for (tile, sums) in tiles.enumerate().map(|(i, s)| (rows.start / TILE + i, s)) {
                        (kernels.multiply)(panel, x.tile(tile, group), sums);
                        if group + DEPTH >= groups {
                            // At once: what is stored finds its way out while the next is
                            // computed.
                            for (i, sums) in sums.chunks(WIDTH).enumerate() {
                                let sums = &sums[..WIDTH.min(n - column)];
                                // SAFETY: each panel of columns belongs to one worker.
                                unsafe { out.store(tile * TILE + i, column, sums) };
                            }
                        }
                    }
                }
            }
        });
    }
    exact_where_spoilt(op, cpu, &weights, &x, &out);
}

/// Rows of weights read side by side when there is one row of activations. They lie far apart: the
/// machine fetches ahead for each of them, which one alone would not keep it busy with.
const STREAMS: usize = 4;

/// Rows that pass over the weights together: what is quantised of them stays in the second-level
/// cache. A multiple of [`TILE`].
const ROWS: usize = 516;

/// Replaces the results of rows with a NaN or an infinity by what plain arithmetic gives.
fn exact_where_spoilt(
    op: &Layer<'_>,
    cpu: &CpuContext<'_>,
    weights: &WeightRows<'_>,
    x: &Activations<'_>,
    out: &Out<'_>,
) {
    let k = op.x.shape().width();
    let rows = cpu.rows(op.x);
    for row in (0..x.rows).filter(|&row| x.spoilt[row] != 0) {
        let mut x = vec![0.0; k];
        rows.load(op.row(row), &mut x);
        cpu.split(weights.count, 64, |columns| {
            let mut weight = vec![0.0; k];
            for column in columns {
                bessemer_core::blocks::decode(op.weight.dtype(), weights.row(column), &mut weight);
                let sum: f32 = x.iter().zip(&weight).map(|(x, w)| x * w).sum();
                // SAFETY: each column belongs to one task.
                unsafe { out.store(row, column, &[sum]) };
            }
        });
    }
}
