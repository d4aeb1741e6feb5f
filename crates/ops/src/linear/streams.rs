//! Dense weights read once, several rows of them side by side, for a few rows of activations.

use super::{Layer, fetch, out::Out};
use bessemer_core::{Element, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel, Lanes, convert::f32_from_bf16_bits};
use half::{bf16, f16};
use std::ops::Range;

/// Rows of weights read side by side. They lie far apart: the machine fetches ahead for each of
/// them, which one alone would not keep it busy with.
const STREAMS: usize = 4;
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
}

impl<'a, W: Weight> WeightRows<'a, W> {
    pub(super) fn new(op: &Layer<'_>, cpu: &'a CpuContext<'_>) -> WeightRows<'a, W> {
        WeightRows {
            weights: cpu.slice(op.weight),
            first: (op.weight.offset() - op.weight.range().start) / size_of::<W>(),
            step: op.weight.strides()[0],
            len: op.weight.shape()[1],
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

/// The rows of `x` times all weights, whose rows must be gapless.
pub(super) fn linear<W: Weight>(op: &Layer<'_>, cpu: &CpuContext<'_>, x: &[f32], out: &Out<'_>) {
    let (rows, k, n) = op.sizes();
    let (all, isa) = (WeightRows::<W>::new(op, cpu), cpu.isa());
    // Pieces of at least 16 KiB of weights are worth a thread's while.
    cpu.split(n, (16 << 10) / (k * size_of::<W>()) + 1, |columns| {
        let apart = columns.len() / STREAMS;
        for i in 0..apart {
            let column = |stream: usize| columns.start + stream * apart + i;
            let weights: [&[W]; STREAMS] = std::array::from_fn(|stream| all.row(column(stream)));
            for (r, x) in x.chunks_exact(k).enumerate().take(rows) {
                let sums = isa.run(Dots { weights, x });
                for (stream, sum) in sums.into_iter().enumerate() {
                    // SAFETY: each column belongs to one task.
                    unsafe { out.store(r, column(stream), &[sum]) };
                }
            }
        }
        for column in columns.start + STREAMS * apart..columns.end {
            for (r, x) in x.chunks_exact(k).enumerate().take(rows) {
                let sum = isa.run(Dots { weights: [all.row(column)], x });
                // SAFETY: each column belongs to one task.
                unsafe { out.store(r, column, &sum) };
            }
        }
    });
}

/// Some rows of weights times one row of activations.
struct Dots<'a, W, const S: usize> {
    weights: [&'a [W]; S],
    x: &'a [f32],
}

impl<W: Weight, const S: usize> Kernel for Dots<'_, W, S> {
    type Output = [f32; S];

    #[inline(always)]
    fn run<A: Arch>(self) -> [f32; S] {
        let len = A::F32::LEN;
        let mut totals = [[A::F32::splat(0.0); 2]; S];
        let whole = self.x.len() / (2 * len) * (2 * len);
        for at in (0..whole).step_by(2 * len) {
            let x = [A::F32::load(&self.x[at..]), A::F32::load(&self.x[at + len..])];
            for (weights, totals) in self.weights.iter().zip(&mut totals) {
                fetch::read(weights[at..].as_ptr().cast::<u8>().wrapping_add(AHEAD));
                for i in 0..2 {
                    let weights = W::load::<A::F32>(&weights[at + i * len..]);
                    totals[i] = weights.fma(x[i], totals[i]);
                }
            }
        }
        let mut sums = [0.0; S];
        for stream in 0..S {
            let rest = self.weights[stream][whole..].iter().zip(&self.x[whole..]);
            let rest = rest.fold(0.0, |sum, (w, x)| A::fma(w.float(), *x, sum));
            sums[stream] = totals[stream][0].add(totals[stream][1]).sum() + rest;
        }
        sums
    }
}
