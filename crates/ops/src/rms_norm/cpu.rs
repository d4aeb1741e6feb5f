//! On the CPU: a row at a time, in `f32`.

use super::RmsNorm;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel};

pub(super) fn rms_norm(op: &RmsNorm, cpu: &CpuContext<'_>) {
    let width = op.x.shape().width();
    let weight = cpu.scratch::<f32>(width);
    if width > 0 {
        cpu.rows(&op.weight).load(0, weight);
    }
    let (x, weight, epsilon, isa) = (cpu.rows(&op.x), &*weight, op.epsilon, cpu.isa());
    cpu.for_each_row(&op.out, 8192 / width.max(1) + 1, |i, out| {
        let mut row = vec![0.0; width];
        x.load(i, &mut row);
        isa.run(NormRow { row: &mut row, weight, epsilon });
        out.store(&row);
    });
}

struct NormRow<'a> {
    row: &'a mut [f32],
    weight: &'a [f32],
    epsilon: f32,
}

impl Kernel for NormRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        // Many partial sums: for the vector units, and because they lose less.
        let mut sums = [0.0f32; 64];
        let (head, tail) = self.row.as_chunks::<64>();
        for chunk in head {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum = A::fma(*x, *x, *sum);
            }
        }
        for (sum, x) in sums.iter_mut().zip(tail) {
            *sum = A::fma(*x, *x, *sum);
        }
        let mean = sums.iter().sum::<f32>() / self.row.len() as f32;
        let scale = 1.0 / (mean + self.epsilon).sqrt();
        for (x, weight) in self.row.iter_mut().zip(self.weight) {
            *x *= scale * weight;
        }
    }
}
