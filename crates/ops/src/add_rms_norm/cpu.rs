//! On the CPU: a row at a time, in `f32`.

use super::AddRmsNorm;
use crate::rms_norm::NormRow;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel};

pub(super) fn add_rms_norm(op: &AddRmsNorm, cpu: &CpuContext<'_>) {
    let width = op.x.shape().width();
    let (x, y, weights) = (cpu.rows(&op.x), cpu.rows(&op.y), cpu.rows(&op.weight));
    let (weight, isa) = (weights.get(0, cpu.scratch(width)), cpu.isa());
    let sums = cpu.out_rows(&op.sum);
    cpu.for_each_row_with(&op.out, 8192 / width.max(1) + 1, 2 * width, |i, out, buffer| {
        let (total, other) = buffer.split_at_mut(width);
        // Both inputs are read before either output, which may be in their place, is written.
        x.load(i, total);
        isa.run(Add { x: total, y: y.get(i, other) });
        // SAFETY: this row is in this task only, as the row of `out` is.
        unsafe { sums.row(i) }.store(total);
        out.compute(other, |row| {
            row.copy_from_slice(total);
            isa.run(NormRow { row, weight, epsilon: op.epsilon });
        });
    });
}

struct Add<'a> {
    x: &'a mut [f32],
    y: &'a [f32],
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for (x, y) in self.x.iter_mut().zip(self.y) {
            *x += y;
        }
    }
}
