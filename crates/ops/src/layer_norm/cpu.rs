//! On the CPU: a row at a time, in `f32`.

use super::LayerNorm;
use bessemer_core::{View, cpu::CpuContext};
use bessemer_simd::{Arch, Isa, Kernel, fold};

pub(super) fn layer_norm(op: &LayerNorm, cpu: &CpuContext<'_>) {
    let width = op.x.shape().width();
    let row_of = |view: &Option<View>, other: f32| {
        let row = cpu.scratch(width);
        match view {
            Some(view) => cpu.rows(view).load(0, row),
            None => row.fill(other),
        }
        &*row
    };
    let (weight, bias) = (row_of(&op.weight, 1.0), row_of(&op.bias, 0.0));
    let (x, isa) = (cpu.rows(&op.x), cpu.isa());
    cpu.for_each_row_with(&op.out, 8192 / width.max(1) + 1, width, |i, out, buffer| {
        out.compute(buffer, |row| {
            x.load(i, row);
            // The mean as `f32` has it, and then what that leaves: numbers far from zero keep
            // all their places.
            let pivot = moments(isa, row).sum / width as f32;
            scale_and_shift(isa, row, 1.0, -pivot);
            let Moments { sum, squares } = moments(isa, row);
            let mean = sum / width as f32;
            let variance = not_below_zero(squares / width as f32 - mean * mean);
            let scale = 1.0 / (variance + op.epsilon).sqrt();
            isa.run(Norm { row, mean, scale, weight, bias });
        });
    });
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

struct Norm<'a> {
    row: &'a mut [f32],
    mean: f32,
    scale: f32,
    weight: &'a [f32],
    bias: &'a [f32],
}

impl Kernel for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for ((x, weight), bias) in self.row.iter_mut().zip(self.weight).zip(self.bias) {
            *x = A::fma((*x - self.mean) * self.scale, *weight, *bias);
        }
    }
}
