//! On the CPU: a row at a time, in `f32`.

use super::Softmax;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel, fold, math};

pub(super) fn softmax(op: &Softmax, cpu: &CpuContext<'_>) {
    let width = op.x.shape().width();
    let (x, isa) = (cpu.rows(&op.x), cpu.isa());
    let mask = op.full_mask().and_then(Result::ok);
    let mask = mask.map(|mask| cpu.rows(&mask));
    let Softmax { scale, log, .. } = *op;
    let buffers = if mask.is_some() { 2 * width } else { width };
    cpu.for_each_row_with(&op.out, 4096 / width.max(1) + 1, buffers, |i, out, buffer| {
        let (buffer, mask_buffer) = buffer.split_at_mut(width);
        out.compute(buffer, |row| {
            x.load(i, row);
            let mask = mask.as_ref().map(|mask| mask.get(i, mask_buffer));
            isa.run(Row { row, scale, mask, log });
        });
    });
}

struct Row<'a> {
    row: &'a mut [f32],
    scale: f32,
    mask: Option<&'a [f32]>,
    log: bool,
}

impl Kernel for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Row { row, scale, mask, log } = self;
        if let Some(mask) = mask {
            for (x, mask) in row.iter_mut().zip(mask) {
                *x = *x * scale + mask;
            }
        } else if scale != 1.0 {
            for x in row.iter_mut() {
                *x *= scale;
            }
        }
        let max = fold::max::<A>(row);
        if max == f32::NEG_INFINITY && !row.iter().any(|x| x.is_nan()) {
            return row.fill(if log { f32::NEG_INFINITY } else { 0.0 });
        }
        if log {
            let sum = fold::sum_of::<A>(row, |x| math::exp::<A>(x - max));
            let ln = sum.ln();
            for x in row {
                *x = (*x - max) - ln;
            }
        } else {
            math::exp_below_in_place::<A>(row, max);
            let share = 1.0 / fold::sum_of::<A>(row, |x| x);
            for x in row {
                *x *= share;
            }
        }
    }
}
