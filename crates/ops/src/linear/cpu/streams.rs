//! Dense weights read once, several rows of them side by side, for a few rows of activations.

use super::{Layer, out::Out, tiles, together::Job};
use bessemer_core::{DType, Element, cpu::CpuContext};
use bessemer_simd::{Arch, Isa, Kernel, Lanes, convert::f32_from_bf16_bits, prefetch};
use half::{bf16, f16};
use std::ops::Range;

/// Rows of weights read side by side. They lie far apart: the machine fetches ahead for each of
/// them, which one alone would not keep it busy with.
const STREAMS: usize = 4;
/// The most rows of activations.
pub(super) const MOST: usize = 8;
/// Columns of a stream whose results are stored at once.
const RUN: usize = 16;
/// How far ahead memory is asked for, in bytes.
const AHEAD: usize = 1 << 10;

/// What dense weights are made of.
pub(super) trait Weight: Element {
    fn load<L: Lanes>(from: &[Self]) -> L;
    fn float(self) -> f32;
}

impl Weight for f32 {
    #[inline(always)]
    fn load<L: Lanes>(from: &[f32]) -> L {
        L::load(from)
    }

    #[inline(always)]
    fn float(self) -> f32 {
        self
    }
}

impl Weight for f16 {
    #[inline(always)]
    fn load<L: Lanes>(from: &[f16]) -> L {
        L::load_f16(from)
    }

    #[inline(always)]
    fn float(self) -> f32 {
        self.to_f32()
    }
}

impl Weight for bf16 {
    #[inline(always)]
    fn load<L: Lanes>(from: &[bf16]) -> L {
        let mut floats = [0.0; 64];
        for (to, from) in floats.iter_mut().zip(&from[..L::LEN]) {
            *to = f32_from_bf16_bits(from.to_bits());
        }
        L::load(&floats)
    }

    #[inline(always)]
    fn float(self) -> f32 {
        f32_from_bf16_bits(self.to_bits())
    }
}

/// The rows of a matrix of weights, each without gaps.
pub(super) struct WeightRows<'a, W> {
    weights: &'a [W],
    first: usize,
    step: isize,
    len: usize,
    count: usize,
}

impl<'a, W: Weight> WeightRows<'a, W> {
    pub(super) fn new(op: &Layer<'_>, cpu: &'a CpuContext<'_>) -> WeightRows<'a, W> {
        WeightRows {
            weights: cpu.slice(op.weight),
            first: (op.weight.offset() - op.weight.range().start) / size_of::<W>(),
            step: op.weight.strides()[0],
            len: op.weight.shape()[1],
            count: op.weight.shape()[0],
        }
    }

    pub(super) fn row(&self, row: usize) -> &'a [W] {
        let start = self.first.wrapping_add_signed(row as isize * self.step);
        &self.weights[start..start + self.len]
    }

    /// Some rows in one, if they are there and lie like that.
    pub(super) fn together(&self, rows: Range<usize>) -> &'a [W] {
        let gapless = self.step == self.len as isize;
        let range = self.first + rows.start * self.len..self.first + rows.end * self.len;
        if gapless { self.weights.get(range).unwrap_or_default() } else { &[] }
    }
}

/// All rows of a layer times its weights, whose rows must be gapless.
pub(super) struct Columns<'a, W> {
    weights: WeightRows<'a, W>,
    /// The rows of activations.
    x: Vec<&'a [f32]>,
    out: Out<'a>,
    isa: Isa,
}

impl<'a, W: Weight> Columns<'a, W> {
    pub(super) fn new(layer: &Layer<'a>, cpu: &'a CpuContext<'_>) -> Columns<'a, W> {
        let (rows, k, _) = layer.sizes();
        // Where they are, if they can be used there.
        let x = if layer.x.dtype() == DType::F32 && layer.x.is_contiguous() {
            let all = cpu.slice::<f32>(layer.x);
            (0..rows).map(|row| &all[layer.row(row) * k..][..k]).collect()
        } else {
            tiles::load(layer, cpu, 0..rows, k).chunks_exact(k).collect()
        };
        let weights = WeightRows::new(layer, cpu);
        Columns { weights, x, out: Out::new(layer, cpu), isa: cpu.isa() }
    }
}

impl<W: Weight> Job for Columns<'_, W> {
    fn columns(&self) -> usize {
        self.weights.count
    }

    fn column_bytes(&self) -> usize {
        self.weights.len * size_of::<W>()
    }

    fn compute(&self, columns: Range<usize>) {
        let Columns { weights, x, out, isa } = self;
        // The last streams take a few columns of those before them again if they must.
        let apart = columns.len().div_ceil(STREAMS);
        let starts: [usize; STREAMS] =
            std::array::from_fn(|stream| (columns.start + stream * apart).min(columns.end - apart));
        for first in (0..apart).step_by(RUN) {
            let (starts, count) = (starts.map(|start| start + first), RUN.min(apart - first));
            let mut sums = [[[0.0; RUN]; STREAMS]; MOST];
            isa.run(Dots { weights, x, starts, count, sums: &mut sums });
            for (row, sums) in sums[..x.len()].iter().enumerate() {
                for (sums, start) in sums.iter().zip(starts) {
                    // SAFETY: each column belongs to one task.
                    unsafe { out.store(row, start, &sums[..count]) };
                }
            }
        }
    }
}

/// Some rows of weights of each stream times a few rows of activations. Each of these is summed as it
/// would be alone.
struct Dots<'a, W> {
    weights: &'a WeightRows<'a, W>,
    x: &'a [&'a [f32]],
    /// The first row of each stream.
    starts: [usize; STREAMS],
    /// Rows of each.
    count: usize,
    sums: &'a mut [[[f32; RUN]; STREAMS]; MOST],
}

impl<W: Weight> Kernel for Dots<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Dots { weights, x, starts, count, sums } = self;
        // Weights are widened for two rows at once where there are registers for so many sums.
        let paired = if A::F32::LEN == 16 { x.len() / 2 * 2 } else { 0 };
        for i in 0..count {
            let weights = std::array::from_fn(|stream| weights.row(starts[stream] + i));
            let mut keep = |row: usize, found: [f32; STREAMS]| {
                sums[row].iter_mut().zip(found).for_each(|(sums, found)| sums[i] = found);
            };
            for row in (0..paired).step_by(2) {
                let [first, second] = dots::<A, W, 2>(weights, [x[row], x[row + 1]]);
                keep(row, first);
                keep(row + 1, second);
            }
            for (row, x) in x.iter().enumerate().skip(paired) {
                let [found] = dots::<A, W, 1>(weights, [x]);
                keep(row, found);
            }
        }
    }
}

#[inline(always)]
fn dots<A: Arch, W: Weight, const R: usize>(
    weights: [&[W]; STREAMS],
    x: [&[f32]; R],
) -> [[f32; STREAMS]; R] {
    let (len, k) = (A::F32::LEN, x[0].len());
    let mut totals = [[[A::F32::splat(0.0); R]; 2]; STREAMS];
    let whole = k / (2 * len) * (2 * len);
    for at in (0..whole).step_by(2 * len) {
        let mut factors = [[A::F32::splat(0.0); R]; 2];
        for (i, factors) in factors.iter_mut().enumerate() {
            for (factor, x) in factors.iter_mut().zip(x) {
                *factor = A::F32::load(&x[at + i * len..]);
            }
        }
        for (weights, totals) in weights.iter().zip(&mut totals) {
            prefetch::read(weights[at..].as_ptr().cast::<u8>().wrapping_add(AHEAD));
            for i in 0..2 {
                let weights = W::load::<A::F32>(&weights[at + i * len..]);
                for (total, x) in totals[i].iter_mut().zip(factors[i]) {
                    *total = weights.fma(x, *total);
                }
            }
        }
    }
    let mut sums = [[0.0; STREAMS]; R];
    for (row, (sums, x)) in sums.iter_mut().zip(x).enumerate() {
        let mut all = [A::F32::splat(0.0); STREAMS];
        for (all, [even, odd]) in all.iter_mut().zip(&totals) {
            *all = even[row].add(odd[row]);
        }
        *sums = A::F32::sum4(all);
        for (sum, weights) in sums.iter_mut().zip(weights) {
            let rest = weights[whole..].iter().zip(&x[whole..]);
            *sum += rest.fold(0.0, |sum, (w, x)| A::fma(w.float(), *x, sum));
        }
    }
    sums
}
