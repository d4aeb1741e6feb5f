//! On the CPU: one pass over the state per token, a few columns at a time.

use super::Wkv6;
use crate::wkv::cpu::{Columns, Operands, Token, all_columns, each_token, load, store};
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel, Lanes};

pub(super) fn wkv6(op: &Wkv6, cpu: &CpuContext<'_>) {
    let (rows, isa) = (cpu.rows(&op.u), cpu.isa());
    let (heads, size) = (rows.count(), rows.width());
    let bonus = cpu.scratch::<f32>(heads * size);
    for (head, to) in bonus.chunks_exact_mut(size.max(1)).enumerate() {
        rows.load(head, to);
    }
    let bonus = &*bonus;
    let operands =
        Operands { keys: [&op.r, &op.k, &op.decay], values: &op.v, state: &op.state, out: &op.out };
    each_token(cpu, &operands, |token| {
        let u = &bonus[token.head * size..][..size];
        isa.run(Step { token, u });
    });
}

struct Step<'a> {
    token: Token<'a, 3>,
    u: &'a [f32],
}

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Step { token, u } = self;
        let [r, k, _] = token.keys;
        // What the token itself adds is the same share of all its values.
        let mut own = 0.0;
        for ((r, k), u) in r.iter().zip(k).zip(u) {
            own = A::fma(r * u, *k, own);
        }
        all_columns::<A>(token.values.len(), &mut Tile { token, own });
    }
}

struct Tile<'a> {
    token: Token<'a, 3>,
    own: f32,
}

impl Columns for Tile<'_> {
    #[inline(always)]
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize) {
        let Token { keys: [r, k, decay], values, state, out, .. } = &mut self.token;
        let v = load::<A, V>(&values[first..]);
        let mut y = [A::F32::splat(0.0); V];
        let rows = state.chunks_exact_mut(values.len());
        for (((row, &r), &k), &decay) in rows.zip(*r).zip(*k).zip(*decay) {
            let (r, k, decay) = (A::F32::splat(r), A::F32::splat(k), A::F32::splat(decay));
            let row = &mut row[first..];
            let mut cells = load::<A, V>(row);
            for ((cell, y), v) in cells.iter_mut().zip(&mut y).zip(v) {
                *y = r.fma(*cell, *y);
                *cell = decay.fma(*cell, k.mul(v));
            }
            store::<A, V>(cells, row);
        }
        for (y, v) in y.iter_mut().zip(v) {
            *y = A::F32::splat(self.own).fma(v, *y);
        }
        store::<A, V>(y, &mut out[first..]);
    }
}
