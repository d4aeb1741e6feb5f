//! Dense weights.
use super::{Linear, out::Out};
use bessemer_core::cpu::CpuContext;

pub(super) fn linear(op: &Linear, cpu: &CpuContext<'_>) {
    let (rows, k, n) = op.sizes();
    let out = Out::new(op, cpu);
    let (x, w) = (cpu.rows(&op.x), cpu.rows(&op.weight));
    cpu.split(n, 16, |columns| {
        let (mut a, mut b) = (vec![0.0; k], vec![0.0; k]);
        for column in columns {
            w.load(column, &mut b);
            for row in 0..rows {
                x.load(row, &mut a);
                let sum: f32 = a.iter().zip(&b).map(|(x, w)| x * w).sum();
                // SAFETY: each column belongs to one task.
                unsafe { out.store(row, column, &[sum]) };
            }
        }
    });
}
