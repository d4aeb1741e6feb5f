//! One row of activations, as when a token is decoded, or a few: the weights are streamed as they lie
//! in memory.

use super::{
    Dots, Kernels, WeightRows,
    activations::{self, Activations, Detail, Row, Rule},
    exact_where_spoilt,
};
use crate::linear::{
    Layer,
    cpu::{out::Out, together::Job},
};
use bessemer_core::cpu::CpuContext;
use bessemer_formats::{Format, GROUP, with_format};
use std::ops::Range;

/// Rows of weights read side by side. They lie far apart: the machine fetches ahead for each of
/// them, which one alone would not keep it busy with.
pub(super) const STREAMS: usize = 4;

/// Columns of a stream whose results are stored at once.
const RUN: usize = 64;

/// The rows, quantised for a format.
pub(in crate::linear::cpu) struct Input<'a> {
    /// As many for each as it takes the kernel, whose results are added up.
    pub(super) rows: Vec<Row<'a>>,
    /// For each, whether it holds what is not finite.
    pub(super) spoilt: &'a [u8],
}

/// One layer, ready to be computed by columns.
pub(in crate::linear::cpu) struct Columns<'a> {
    layer: &'a Layer<'a>,
    weights: WeightRows<'a>,
    input: &'a Input<'a>,
    dots: Dots,
    out: Out<'a>,
}

/// The rows for each format and each `x` there is, where those first come up.
pub(in crate::linear::cpu) fn inputs<'a>(
    layers: &[&Layer<'_>],
    cpu: &'a CpuContext<'_>,
) -> Vec<Option<Input<'a>>> {
    let input = |(i, layer): (usize, &&Layer<'_>)| {
        (layer.weight.dtype().is_block() && first_like(layers, layer) == i)
            .then(|| with_format!(layer.weight.dtype(), F => input::<F>(layer, cpu)))
    };
    layers.iter().enumerate().map(input).collect()
}

/// The first layer of the same `x` whose weights have the same format.
fn first_like(layers: &[&Layer<'_>], layer: &Layer<'_>) -> usize {
    let same = |other: &&Layer<'_>| {
        other.weight.dtype() == layer.weight.dtype()
            && other.x.dtype() == layer.x.dtype()
            && other.x.is_same_place(layer.x)
    };
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

impl<'a> Columns<'a> {
    /// One of `layers`, whose [`inputs`] are there.
    pub(in crate::linear::cpu) fn new(
        layers: &[&Layer<'_>],
        layer: &'a Layer<'a>,
        inputs: &'a [Option<Input<'a>>],
        cpu: &'a CpuContext<'_>,
    ) -> Columns<'a> {
        Columns {
            layer,
            weights: WeightRows::new(cpu, layer.weight),
            input: inputs[first_like(layers, layer)]
                .as_ref()
                .expect("made for the first of its like"),
            dots: with_format!(layer.weight.dtype(), F => Kernels::of::<F>(cpu.isa()).rows.dots),
            out: Out::new(layer, cpu),
        }
    }
}

impl Job for Columns<'_> {
    fn columns(&self) -> usize {
        self.weights.count
    }

    fn column_bytes(&self) -> usize {
        self.weights.row_bytes
    }

    fn compute(&self, columns: Range<usize>) {
        let (input, groups) = (self.input, self.layer.x.shape().width() / GROUP);
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

    fn finish(&self, cpu: &CpuContext<'_>) {
        exact_where_spoilt(self.layer, cpu, self.input.spoilt, &[], &self.out);
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
