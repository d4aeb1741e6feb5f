//! On the CPU: a row at a time, in `f32`.

use super::RmsNorm;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel, fold};

pub(super) fn rms_norm(op: &RmsNorm, cpu: &CpuContext<'_>) {
    let width = op.x.shape().width();
    let (x, weights) = (cpu.rows(&op.x), cpu.rows(&op.weight));
    let (weight, isa) = (weights.get(0, cpu.scratch(width)), cpu.isa());
    cpu.for_each_row_with(&op.out, 8192 / width.max(1) + 1, width, |i, out, buffer| {
        out.compute(buffer, |row| {
            x.load(i, row);
            isa.run(NormRow { row, weight, epsilon: op.epsilon });
        });
    });
}

/// A row normed in its place.
pub(crate) struct NormRow<'a> {
    pub(crate) row: &'a mut [f32],
    pub(crate) weight: &'a [f32],
    pub(crate) epsilon: f32,
}

impl Kernel for NormRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let mean = fold::sum_squares::<A>(self.row) / self.row.len() as f32;
        let scale = 1.0 / (mean + self.epsilon).sqrt();
        for (x, weight) in self.row.iter_mut().zip(self.weight) {
            *x *= scale * weight;
        }
    }
}
