//! On the CPU: one pass over the state per token, a few columns at a time.

use super::Wkv6;
use crate::{
    check::dims,
    wkv::cpu::{
        At, Columns, Recurrence, Split, Step, all_columns, each_token, load, split_rows, store,
    },
};
use bessemer_core::cpu::{CpuContext, OutRows, Rows};
use bessemer_simd::{Arch, Lanes, fold::sum_of};

pub(super) fn wkv6(op: &Wkv6, cpu: &CpuContext<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.v.shape());
    if op.v.elements() == 0 {
        return;
    }
    let split = Split::for_threads(cpu.threads(), sequences * heads, tokens, size);
    let cut = |view| split_rows(view, split.parts).expect("a view whose rows are cut");
    let recurrence = Recurrence6 {
        keys: [&op.r, &op.k, &op.decay].map(|view| cpu.rows(view)),
        u: cpu.rows(&op.u),
        values: cpu.rows(&cut(&op.v)),
        out: cpu.out_rows(&cut(&op.out)),
        split,
    };
    each_token(cpu, &op.state, tokens, split, &recurrence);
}

/// Of a token: `r`, `k`, `decay` and `u`, the values, and how much of them it says itself.
struct Recurrence6<'a> {
    keys: [Rows<'a>; 3],
    u: Rows<'a>,
    values: Rows<'a>,
    out: OutRows<'a>,
    split: Split,
}

impl Recurrence for Recurrence6<'_> {
    #[inline(always)]
    fn floats(&self) -> usize {
        4 * self.split.size + self.split.columns + 1
    }

    #[inline(always)]
    fn prefetch(&self, at: At) {
        self.keys.iter().for_each(|rows| rows.prefetch(at.row));
        self.values.prefetch(at.row * self.split.parts + at.part);
        self.out.prefetch(at.row * self.split.parts + at.part);
    }

    #[inline(always)]
    fn prepare<A: Arch>(&self, at: At, token: &mut [f32]) {
        let Split { size, parts, width, columns } = self.split;
        let (keys, rest) = token.split_at_mut(4 * size);
        for (rows, to) in self.keys.iter().zip(keys.chunks_exact_mut(size)) {
            rows.load(at.row, to);
        }
        self.u.load(at.head, &mut keys[3 * size..]);
        self.values.load(at.row * parts + at.part, &mut rest[..width]);
        // What the token itself adds is the same share of all its values.
        let (keys, u) = keys.split_at_mut(3 * size);
        for ((u, r), k) in u.iter_mut().zip(&keys[..size]).zip(&keys[size..]) {
            *u *= r * k;
        }
        rest[columns] = sum_of::<A>(u, |x| x);
    }

    #[inline(always)]
    fn step<A: Arch>(&self, step: Step<'_>) {
        let Split { size, columns, .. } = self.split;
        let (keys, rest) = step.token.split_at(4 * size);
        let [r, k, decay] = std::array::from_fn(|n| &keys[n * size..][..size]);
        let (values, own) = (&rest[..columns], rest[columns]);
        let Step { state, out, .. } = step;
        all_columns::<A>(columns, &mut Tile { r, k, decay, values, own, state, out });
    }

    #[inline(always)]
    fn finish<A: Arch>(&self, at: At, _: &mut [f32], out: &mut [f32]) {
        let Split { parts, width, .. } = self.split;
        // SAFETY: these columns of this head belong to one task.
        unsafe { self.out.row(at.row * parts + at.part) }.store(&out[..width]);
    }
}

struct Tile<'a> {
    r: &'a [f32],
    k: &'a [f32],
    decay: &'a [f32],
    values: &'a [f32],
    own: f32,
    state: &'a mut [f32],
    out: &'a mut [f32],
}

impl Columns for Tile<'_> {
    #[inline(always)]
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize) {
        let Tile { r, k, decay, values, own, state, out } = self;
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
            *y = A::F32::splat(*own).fma(v, *y);
        }
        store::<A, V>(y, &mut out[first..]);
    }
}
