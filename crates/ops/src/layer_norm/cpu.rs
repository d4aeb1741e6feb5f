//! On the CPU: a row at a time, in `f32`.

use super::LayerNorm;
use bessemer_core::{View, cpu::CpuContext};
use bessemer_simd::{Arch, Isa, Kernel, fold};

pub(super) fn layer_norm(op: &LayerNorm, cpu: &CpuContext<'_>) {
    let (width, epsilon) = (op.x.shape().width(), op.epsilon);
    let (weight, bias) = affine(cpu, width, op.weight.as_ref(), op.bias.as_ref());
    let (x, isa) = (cpu.rows(&op.x), cpu.isa());
    cpu.for_each_row_with(&op.out, 8192 / width.max(1) + 1, width, |i, out, buffer| {
        out.compute(buffer, |row| {
            x.load(i, row);
            isa.run(NormRow { row, weight, bias, epsilon });
        });
    });
}

/// What normed rows of `width` elements are multiplied by, and what is then added to them.
pub(crate) fn affine<'a>(
    cpu: &'a CpuContext<'_>,
    width: usize,
    weight: Option<&View>,
    bias: Option<&View>,
) -> (&'a [f32], &'a [f32]) {
    let row_of = |view: Option<&View>, other: f32| {
        let row = cpu.scratch(width);
        match view {
            Some(view) => cpu.rows(view).load(0, row),
            None => row.fill(other),
        }
        &*row
    };
    (row_of(weight, 1.0), row_of(bias, 0.0))
}

/// A row normed in its place.
pub(crate) struct NormRow<'a> {
    pub(crate) row: &'a mut [f32],
    pub(crate) weight: &'a [f32],
    pub(crate) bias: &'a [f32],
    pub(crate) epsilon: f32,
}

impl Kernel for NormRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let NormRow { row, weight, bias, epsilon } = self;
        let width = row.len() as f32;
        // The mean as `f32` has it, and then what that leaves: numbers far from zero keep all their
        // places.
        let pivot = fold::sum_of::<A>(row, |x| x) / width;
        row.iter_mut().for_each(|x| *x -= pivot);
        let mean = fold::sum_of::<A>(row, |x| x) / width;
        let variance = not_below_zero(fold::sum_squares::<A>(row) / width - mean * mean);
        let scale = 1.0 / (variance + epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *x = A::fma((*x - mean) * scale, *weight, *bias);
        }
    }
}

/// A variance that rounding has brought below 0 is 0; NaN stays.
pub(crate) fn not_below_zero(variance: f32) -> f32 {
    if variance < 0.0 { 0.0 } else { variance }
}

/// Sums over a row.
pub(crate) struct Moments {
    /// Of `x`.
    pub(crate) sum: f32,
    /// Of `x²`.
    pub(crate) squares: f32,
}

/// The sums over `row`.
pub(crate) fn moments(isa: Isa, row: &[f32]) -> Moments {
    struct Sums<'a>(&'a [f32]);
    impl Kernel for Sums<'_> {
        type Output = Moments;

        #[inline(always)]
        fn run<A: Arch>(self) -> Moments {
            Moments {
                sum: fold::sum_of::<A>(self.0, |x| x),
                squares: fold::sum_squares::<A>(self.0),
            }
        }
    }
    isa.run(Sums(row))
}

/// `x * scale + shift` for each of a row.
pub(crate) fn scale_and_shift(isa: Isa, row: &mut [f32], scale: f32, shift: f32) {
    struct Line<'a>(&'a mut [f32], f32, f32);
    impl Kernel for Line<'_> {
        type Output = ();

        #[inline(always)]
        fn run<A: Arch>(self) {
            for x in self.0 {
                *x = A::fma(*x, self.1, self.2);
            }
        }
    }
    isa.run(Line(row, scale, shift));
}
