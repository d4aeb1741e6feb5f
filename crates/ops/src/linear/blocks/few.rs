//! One row of activations, as when a token is decoded, or a few: the weights of one or several
//! layers are streamed as they lie in memory, in one go.

use super::{
    Dots, Kernels, WeightRows,
    activations::{Activations, Row},
    exact_where_spoilt,
    format::{Format, GROUP},
    with_format,
};
use crate::linear::{Layer, Linear, out::Out};
use bessemer_core::cpu::CpuContext;
use std::ops::Range;

/// Rows of weights read side by side. They lie far apart: the machine fetches ahead for each of
/// them, which one alone would not keep it busy with.
pub(super) const STREAMS: usize = 4;

/// The most rows of activations. Each is summed as if it were alone.
pub(super) const MOST: usize = Linear::ALIKE;

/// Fewer bytes of weights than this are not worth another thread's while.
const LEAST: usize = 16 << 10;

/// Columns whose results are stored at once.
const RUN: usize = 64;

/// The rows, quantised for a format.
struct Input<'a> {
    x: Activations<'a>,
    rows: Vec<Row<'a>>,
}

/// One layer, ready to be computed by columns.
struct Job<'a> {
    weights: WeightRows<'a>,
    /// Which of the inputs is its.
    input: usize,
    dots: Dots,
    out: Out<'a>,
}

/// Layers of the same rows, up to [`MOST`] of them, no layer empty.
pub(super) fn linears(layers: &[Layer<'_>], cpu: &CpuContext<'_>) {
    let groups = layers[0].x.shape().width() / GROUP;
    let inputs = inputs(layers, cpu);
    let jobs: Vec<Job<'_>> = layers
        .iter()
        .map(|layer| Job {
            weights: WeightRows::new(cpu, layer.weight),
            input: first_like(layers, layer),
            dots: with_format!(layer.weight.dtype(), F => Kernels::of::<F>(cpu.isa()).dots),
            out: Out::new(layer, cpu),
        })
        .collect();
    let bytes = |job: &Job<'_>| job.weights.count * job.weights.row_bytes;
    // A few pieces per thread, since threads that start late or are interrupted take fewer.
    let all: usize = jobs.iter().map(bytes).sum();
    let piece = (all / (4 * cpu.threads())).max(LEAST);
    let pieces = |job: &Job<'_>| (bytes(job) / piece).clamp(1, job.weights.count);
    cpu.run(jobs.iter().map(pieces).sum(), |mut task| {
        for job in &jobs {
            let (n, pieces) = (job.weights.count, pieces(job));
            if task < pieces {
                let input = inputs[job.input].as_ref().expect("made for the first of its format");
                return job.columns(
                    n * task / pieces..n * (task + 1) / pieces,
                    &input.rows,
                    groups,
                );
            }
            task -= pieces;
        }
    });
    for (layer, job) in layers.iter().zip(&jobs) {
        let input = inputs[job.input].as_ref().expect("as above");
        exact_where_spoilt(layer, cpu, &job.weights, &input.x, &job.out);
    }
}

/// The rows for each format there is, where that first comes up.
fn inputs<'a>(layers: &[Layer<'_>], cpu: &'a CpuContext<'_>) -> Vec<Option<Input<'a>>> {
    let input = |(i, layer)| {
        (first_like(layers, layer) == i)
            .then(|| with_format!(layer.weight.dtype(), F => input::<F>(layer, cpu)))
    };
    layers.iter().enumerate().map(input).collect()
}

/// The first layer whose weights have the same format.
fn first_like(layers: &[Layer<'_>], layer: &Layer<'_>) -> usize {
    let same = |other: &Layer<'_>| other.weight.dtype() == layer.weight.dtype();
    layers.iter().position(same).expect("the layer itself has")
}

fn input<'a, F: Format>(layer: &Layer<'_>, cpu: &'a CpuContext<'_>) -> Input<'a> {
    let kernels = Kernels::of::<F>(cpu.isa());
    let (rows, k, _) = layer.sizes();
    let quantise = kernels.quantise;
    let x = Activations::new::<F>(cpu, layer, kernels.row_rule, 1, k / GROUP, quantise);
    let rows = (0..rows).map(|row| (kernels.prepare)(cpu, x.tile(row, 1, 0))).collect();
    Input { x, rows }
}

impl Job<'_> {
    /// Computes some of the columns.
    fn columns(&self, columns: Range<usize>, x: &[Row<'_>], groups: usize) {
        let apart = columns.len() / STREAMS;
        for start in (0..apart).step_by(RUN) {
            let run = start..apart.min(start + RUN);
            let mut sums = [[[0.0; RUN]; STREAMS]; MOST];
            for (i, column) in run.clone().enumerate() {
                let place = |stream: usize| columns.start + stream * apart + column;
                let rows: [&[u8]; STREAMS] = std::array::from_fn(|s| self.weights.row(place(s)));
                for (x, sums) in x.iter().zip(&mut sums) {
                    let mut found = [0.0; STREAMS];
                    (self.dots)(&rows, x, groups, &mut found);
                    sums.iter_mut().zip(found).for_each(|(sums, found)| sums[i] = found);
                }
            }
            for (row, sums) in sums[..x.len()].iter().enumerate() {
                for (stream, sums) in sums.iter().enumerate() {
                    let column = columns.start + stream * apart + run.start;
                    // SAFETY: each column belongs to one task.
                    unsafe { self.out.store(row, column, &sums[..run.len()]) };
                }
            }
        }
        for column in columns.start + STREAMS * apart..columns.end {
            for (row, x) in x.iter().enumerate() {
                let mut sum = [0.0];
                (self.dots)(&[self.weights.row(column)], x, groups, &mut sum);
                // SAFETY: each column belongs to one task.
                unsafe { self.out.store(row, column, &sum) };
            }
        }
    }
}
