//! One row of activations, as when a token is decoded, or a few: the weights of one or several
//! layers are streamed as they lie in memory, in one go.

use super::{
    Dots, Kernels, WeightRows,
    activations::{self, Activations, Detail, Row, Rule},
    exact_where_spoilt,
};
use crate::linear::{Layer, Linear, cpu::out::Out};
use bessemer_core::cpu::CpuContext;
use bessemer_formats::{Format, GROUP, with_format};
use std::ops::Range;

/// Rows of weights read side by side. They lie far apart: the machine fetches ahead for each of
/// them, which one alone would not keep it busy with.
pub(super) const STREAMS: usize = 4;

/// The most rows of activations. Each is summed as if it were alone.
pub(super) const MOST: usize = Linear::ALIKE;

/// Fewer bytes of weights than this are not worth another thread's while.
const LEAST: usize = 16 << 10;

/// Columns of a stream whose results are stored at once.
const RUN: usize = 64;

/// The rows, quantised for a format.
pub(super) struct Input<'a> {
    /// As many for each as it takes the kernel, whose results are added up.
    pub(super) rows: Vec<Row<'a>>,
    /// For each, whether it holds what is not finite.
    pub(super) spoilt: &'a [u8],
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
            dots: with_format!(layer.weight.dtype(), F => Kernels::of::<F>(cpu.isa()).rows.dots),
            out: Out::new(layer, cpu),
        })
        .collect();
    let bytes = |job: &Job<'_>| job.weights.count * job.weights.row_bytes;
    // Two pieces per thread: one that starts late takes fewer, and each piece has its own start.
    let all: usize = jobs.iter().map(bytes).sum();
    let piece = (all / (2 * cpu.threads())).max(LEAST);
    let pieces = |job: &Job<'_>| (bytes(job) / piece).clamp(1, job.weights.count);
    cpu.run(jobs.iter().map(pieces).sum(), |mut task| {
        for job in &jobs {
            let (n, pieces) = (job.weights.count, pieces(job));
            if task < pieces {
                let input = inputs[job.input].as_ref().expect("made for the first of its format");
                let columns = n * task / pieces..n * (task + 1) / pieces;
                return job.columns(columns, input, groups);
            }
            task -= pieces;
        }
    });
    for (layer, job) in layers.iter().zip(&jobs) {
        let input = inputs[job.input].as_ref().expect("as above");
        exact_where_spoilt(layer, cpu, input.spoilt, &[], &job.out);
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
    let detail = if cpu.precise() { Detail::TwoBytes } else { Detail::Bytes };
    (Kernels::of::<F>(cpu.isa()).rows.prepare)(cpu, layer, detail)
}

/// The rows for kernels that take them as they are, in parts where they have two bytes.
pub(super) fn prepare<'a, F: Format>(
    cpu: &'a CpuContext<'_>,
    layer: &Layer<'_>,
    detail: Detail,
) -> Input<'a> {
    let (_, k, _) = layer.sizes();
    let rule = Rule { span: 1, offset: F::OFFSET, bias: 0 };
    let quantise = activations::quantise::<F>;
    let x = Activations::new::<F>(cpu, layer, rule, detail, 1, k / GROUP, quantise);
    let rows = (0..x.laid_out).map(|row| Row::plain(x.tile(row, 1, 0))).collect();
    Input { rows, spoilt: x.spoilt }
}

impl Job<'_> {
    /// Computes some of the columns.
    fn columns(&self, columns: Range<usize>, input: &Input<'_>, groups: usize) {
        // The last streams take a few columns of those before them again if they must.
        let apart = columns.len().div_ceil(STREAMS);
        let starts = std::array::from_fn(|s| (columns.start + s * apart).min(columns.end - apart));
        // All rows take the weights that are in the cache, so there are fewer if they are several.
        let run = RUN / input.rows.len();
        for first in (0..apart).step_by(run) {
            let count = run.min(apart - first);
            let starts = starts.map(|start| start + first);
            let weights = Streams { weights: &self.weights, starts, count };
            for (row, parts) in input.rows.chunks(input.rows.len() / input.spoilt.len()).enumerate()
            {
                let mut sums = [[0.0; RUN]; STREAMS];
                (self.dots)(&weights, &parts[0], groups, &mut sums);
                for part in &parts[1..] {
                    let mut more = [[0.0; RUN]; STREAMS];
                    (self.dots)(&weights, part, groups, &mut more);
                    let all = sums.as_flattened_mut().iter_mut().zip(more.as_flattened());
                    all.for_each(|(sum, more)| *sum += more);
                }
                for (sums, start) in sums.iter().zip(starts) {
                    // SAFETY: each column belongs to one task.
                    unsafe { self.out.store(row, start, &sums[..count]) };
                }
            }
        }
    }
}

/// Rows of weights that are gone through side by side.
pub(super) struct Streams<'a> {
    weights: &'a WeightRows<'a>,
    /// The first row of each stream.
    starts: [usize; STREAMS],
    /// Rows of each.
    count: usize,
}

/// For each stream, a sum for each of its rows.
pub(super) type Sums = [[f32; RUN]; STREAMS];

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // Others only need `each`.
impl<'a> Streams<'a> {
    /// Rows of each stream, [`RUN`] at most.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn row_bytes(&self) -> usize {
        self.weights.row_bytes
    }

    /// Row `i` of each.
    #[inline]
    pub(super) fn rows(&self, i: usize) -> [&'a [u8]; STREAMS] {
        // Written out, since an array's `map` is a call of its own here.
        let [a, b, c, d] = self.starts;
        let row = |start: usize| self.weights.row(start + i);
        [row(a), row(b), row(c), row(d)]
    }

    /// Computes the sums one by one.
    pub(super) fn each(&self, sums: &mut Sums, dot: impl Fn(&[u8]) -> f32) {
        for i in 0..self.count {
            let rows = self.rows(i);
            sums.iter_mut().zip(rows).for_each(|(sums, row)| sums[i] = dot(row));
        }
    }
}
