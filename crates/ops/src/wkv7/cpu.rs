//! On the CPU: one pass over the state per token, a few columns at a time. It changes the state and,
//! while that is in registers, sums what the next token forgets of it.

use super::Wkv7;
use crate::{
    check::dims,
    wkv::cpu::{
        At, Columns, Recurrence, Split, Step, all_columns, each_token, load, split_rows, store,
    },
};
use bessemer_core::cpu::{CpuContext, OutRows, Rows};
use bessemer_simd::{Arch, Lanes};

pub(super) fn wkv7(op: &Wkv7, cpu: &CpuContext<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.v.shape());
    if op.v.elements() == 0 {
        return;
    }
    let split = Split::for_threads(cpu.threads(), sequences * heads, tokens, size);
    let cut = |view| split_rows(view, split.parts).expect("a view whose rows are cut");
    let recurrence = Recurrence7 {
        keys: [&op.r, &op.decay, &op.k, &op.a, &op.b].map(|view| cpu.rows(view)),
        values: cpu.rows(&cut(&op.v)),
        out: cpu.out_rows(&cut(&op.out)),
        split,
    };
    each_token(cpu, &op.state, tokens, split, &recurrence);
}

struct Recurrence7<'a> {
    keys: [Rows<'a>; 5],
    values: Rows<'a>,
    out: OutRows<'a>,
    split: Split,
}

impl Recurrence for Recurrence7<'_> {
    #[inline(always)]
    fn floats(&self) -> usize {
        Token7::floats(self.split.size, self.split.columns)
    }

    #[inline(always)]
    fn prefetch(&self, at: At) {
        self.keys.iter().for_each(|rows| rows.prefetch(at.row));
        self.values.prefetch(at.row * self.split.parts + at.part);
        self.out.prefetch(at.row * self.split.parts + at.part);
    }

    #[inline(always)]
    fn prepare<A: Arch>(&self, at: At, token: &mut [f32]) {
        let (keys, values) = token.split_at_mut(5 * self.split.size);
        for (rows, to) in self.keys.iter().zip(keys.chunks_exact_mut(self.split.size)) {
            rows.load(at.row, to);
        }
        let Split { parts, width, .. } = self.split;
        self.values.load(at.row * parts + at.part, &mut values[..width]);
    }

    #[inline(always)]
    fn step<A: Arch>(&self, step: Step<'_>) {
        Token7::step::<A>(step, self.split.size);
    }

    #[inline(always)]
    fn finish<A: Arch>(&self, at: At, _: &mut [f32], out: &mut [f32]) {
        let Split { parts, width, .. } = self.split;
        // SAFETY: these columns of this head belong to one task.
        unsafe { self.out.row(at.row * parts + at.part) }.store(&out[..width]);
    }
}

/// What a token says of the state: of each key, and of each column, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Token7<'a> {
    r: &'a [f32],
    decay: &'a [f32],
    k: &'a [f32],
    a: &'a [f32],
    b: &'a [f32],
    values: &'a [f32],
}

impl<'a> Token7<'a> {
    /// How many floats a token takes.
    pub(crate) fn floats(size: usize, columns: usize) -> usize {
        5 * size + columns
    }

    fn of(token: &'a [f32], size: usize, columns: usize) -> Token7<'a> {
        let [r, decay, k, a, b] = std::array::from_fn(|n| &token[n * size..][..size]);
        Token7 { r, decay, k, a, b, values: &token[5 * size..][..columns] }
    }

    /// A token of keys of `size` elements. What is kept between steps is what the next one forgets.
    #[inline(always)]
    pub(crate) fn step<A: Arch>(step: Step<'_>, size: usize) {
        let Step { token, next, first, state, kept: forgotten, out } = step;
        let columns = out.len();
        let token = Token7::of(token, size, columns);
        if first {
            let state = &*state;
            all_columns::<A>(columns, &mut Forget { a: token.a, state, forgotten });
        }
        match next {
            Some(next) => {
                let a = Token7::of(next, size, columns).a;
                all_columns::<A>(columns, &mut Update::<true> { token, a, state, forgotten, out });
            }
            None => {
                let a = token.a;
                all_columns::<A>(columns, &mut Update::<false> { token, a, state, forgotten, out });
            }
        }
    }
}

/// What a token forgets, of a state that was not in registers just before. It is summed in the same
/// order as where it was.
struct Forget<'a> {
    a: &'a [f32],
    state: &'a [f32],
    forgotten: &'a mut [f32],
}

impl Columns for Forget<'_> {
    #[inline(always)]
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize) {
        let mut forgotten = [A::F32::splat(0.0); V];
        for (row, &a) in self.state.chunks_exact(self.forgotten.len()).zip(self.a) {
            let cells = load::<A, V>(&row[first..]);
            for (sum, cell) in forgotten.iter_mut().zip(cells) {
                *sum = A::F32::splat(a).fma(cell, *sum);
            }
        }
        store::<A, V>(forgotten, &mut self.forgotten[first..]);
    }
}

/// The state changed by a token, and if there is a `NEXT`, what that forgets along `a`.
struct Update<'a, const NEXT: bool> {
    token: Token7<'a>,
    a: &'a [f32],
    state: &'a mut [f32],
    forgotten: &'a mut [f32],
    out: &'a mut [f32],
}

impl<const NEXT: bool> Columns for Update<'_, NEXT> {
    #[inline(always)]
    fn vectors<A: Arch, const V: usize>(&mut self, first: usize) {
        let Update { token: Token7 { r, decay, k, b, values, .. }, a, state, forgotten, out } =
            self;
        let v = load::<A, V>(&values[first..]);
        let now = load::<A, V>(&forgotten[first..]);
        let (mut y, mut later) = ([A::F32::splat(0.0); V], [A::F32::splat(0.0); V]);
        let rows = state.chunks_exact_mut(values.len());
        for (((((row, &r), &decay), &k), &b), &a) in
            rows.zip(*r).zip(*decay).zip(*k).zip(*b).zip(*a)
        {
            let (r, decay) = (A::F32::splat(r), A::F32::splat(decay));
            let (k, b, a) = (A::F32::splat(k), A::F32::splat(b), A::F32::splat(a));
            let row = &mut row[first..];
            let mut cells = load::<A, V>(row);
            for n in 0..V {
                cells[n] = decay.fma(cells[n], b.fma(now[n], k.mul(v[n])));
                y[n] = r.fma(cells[n], y[n]);
                if NEXT {
                    later[n] = a.fma(cells[n], later[n]);
                }
            }
            store::<A, V>(cells, row);
        }
        store::<A, V>(y, &mut out[first..]);
        if NEXT {
            store::<A, V>(later, &mut forgotten[first..]);
        }
    }
}
