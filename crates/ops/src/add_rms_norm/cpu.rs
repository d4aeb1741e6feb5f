//! On the CPU: a row at a time, in `f32`. Other norms of sums go through their rows the same way.

use super::AddRmsNorm;
use crate::rms_norm::NormRow;
use bessemer_core::{View, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel};

pub(super) fn add_rms_norm(op: &AddRmsNorm, cpu: &CpuContext<'_>) {
    let AddRmsNorm { x, y, weight, epsilon, sum, out } = op;
    let weights = cpu.rows(weight);
    let (weight, isa) = (weights.get(0, cpu.scratch(x.shape().width())), cpu.isa());
    sum_and_norm(cpu, [x, y], [sum, out], |row| {
        isa.run(NormRow { row, weight, epsilon: *epsilon });
    });
}

/// `sum = x + y`, and in `out` what `norm` makes of each row of it.
pub(crate) fn sum_and_norm(
    cpu: &CpuContext<'_>,
    [x, y]: [&View; 2],
    [sum, out]: [&View; 2],
    norm: impl Fn(&mut [f32]) + Sync,
) {
    let (width, isa) = (x.shape().width(), cpu.isa());
    let (x, y, sums) = (cpu.rows(x), cpu.rows(y), cpu.out_rows(sum));
    cpu.for_each_row_with(out, 8192 / width.max(1) + 1, 2 * width, |i, out, buffer| {
        let (total, other) = buffer.split_at_mut(width);
        // Both inputs are read before either output, which may be in their place, is written.
        x.load(i, total);
        isa.run(Add { x: total, y: y.get(i, other) });
        // SAFETY: this row is in this task only, as the row of `out` is.
        unsafe { sums.row(i) }.store(total);
        out.compute(other, |row| {
            row.copy_from_slice(total);
            norm(row);
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
