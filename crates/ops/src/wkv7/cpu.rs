//! On the CPU: two passes over the state per token, a few columns at a time.

use super::Wkv7;
use crate::wkv::cpu::{Columns, Operands, Token, all_columns, each_token, load, store};
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Isa, Kernel, Lanes};

pub(super) fn wkv7(op: &Wkv7, cpu: &CpuContext<'_>) {
    let isa = cpu.isa();
    let operands = Operands {
        keys: [&op.r, &op.decay, &op.k, &op.a, &op.b],
        values: &op.v,
        state: &op.state,
        out: &op.out,
    };
    each_token(cpu, &operands, |token| step(isa, token));
}

/// One token of one head; the keys are `r`, `decay`, `k`, `a` and `b`.
pub(crate) fn step(isa: Isa, token: Token<'_, 5>) {
    isa.run(Step(token));
}

struct Step<'a>(Token<'a, 5>);

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(mut self) {
        all_columns::<A>(self.0.values.len(), &mut self);
    }
}

impl Columns for Step<'_> {
    #[inline(always)]
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize) {
        let Token { keys: [r, decay, k, a, b], values, state, out, .. } = &mut self.0;
        let v = load::<A, V>(&values[first..]);
        let mut forgotten = [A::F32::splat(0.0); V];
        for (row, &a) in state.chunks_exact(values.len()).zip(*a) {
            let cells = load::<A, V>(&row[first..]);
            for (sum, cell) in forgotten.iter_mut().zip(cells) {
                *sum = A::F32::splat(a).fma(cell, *sum);
            }
        }
        let mut y = [A::F32::splat(0.0); V];
        let rows = state.chunks_exact_mut(values.len());
        for ((((row, &r), &decay), &k), &b) in rows.zip(*r).zip(*decay).zip(*k).zip(*b) {
            let (r, decay) = (A::F32::splat(r), A::F32::splat(decay));
            let (k, b) = (A::F32::splat(k), A::F32::splat(b));
            let row = &mut row[first..];
            let mut cells = load::<A, V>(row);
            for (((cell, y), v), sum) in cells.iter_mut().zip(&mut y).zip(v).zip(forgotten) {
                *cell = decay.fma(*cell, b.fma(sum, k.mul(v)));
                *y = r.fma(*cell, *y);
            }
            store::<A, V>(cells, row);
        }
        store::<A, V>(y, &mut out[first..]);
    }
}
