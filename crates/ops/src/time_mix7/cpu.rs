//! On the CPU: the walk of `wkv` through the tokens of each head, with what comes before and after its
//! step. The state stays in the first-level cache meanwhile.

use super::{FASTEST, SHORTEST, TimeMix7};
use crate::{
    check::dims,
    wkv::cpu::{At, Recurrence, Split, Step, each_token},
    wkv7::Token7,
};
use bessemer_core::cpu::{CpuContext, OutRows, Rows};
use bessemer_simd::{
    Arch,
    fold::{sum_of, sum_squares},
    math::{exp_each, sigmoid_each},
};

pub(super) fn time_mix7(op: &TimeMix7, cpu: &CpuContext<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.out.shape());
    if op.out.elements() == 0 {
        return;
    }
    // Heads stay whole: norms are of all their columns.
    let split = Split::new(size, 1);
    let heads = Heads {
        x: cpu.rows(&op.x),
        rows: sequences * tokens * heads,
        weights: cpu.rows(&op.weights),
        heads,
        first: (!op.is_first).then(|| cpu.rows(&op.first)),
        new_first: op.is_first.then(|| cpu.out_rows(&op.first)),
        norm: op.norm,
        gate: op.gate,
        out: cpu.out_rows(&op.out),
        split,
    };
    each_token(cpu, &op.state, tokens, split, &heads);
}

struct Heads<'a> {
    x: Rows<'a>,
    /// Heads of all tokens: so far apart are the parts of `x`.
    rows: usize,
    weights: Rows<'a>,
    heads: usize,
    first: Option<Rows<'a>>,
    new_first: Option<OutRows<'a>>,
    norm: Option<f32>,
    gate: bool,
    out: OutRows<'a>,
    split: Split,
}

impl Heads<'_> {
    /// What is known of a token besides what its step needs: the gate, the norm's weight and bias, room
    /// for two more, each as long as a head, and the bonus.
    const MORE: usize = 5;

    fn load(&self, part: usize, at: At, to: &mut [f32]) {
        self.x.load(part * self.rows + at.row, to);
    }

    fn load_weight(&self, part: usize, at: At, to: &mut [f32]) {
        self.weights.load(part * self.heads + at.head, to);
    }
}

impl Recurrence for Heads<'_> {
    #[inline(always)]
    fn floats(&self) -> usize {
        let Split { size, columns, .. } = self.split;
        Token7::floats(size, columns) + Self::MORE * size + 1
    }

    #[inline(always)]
    fn prepare<A: Arch>(&self, at: At, token: &mut [f32]) {
        let Split { size, columns, .. } = self.split;
        let (own, more) = token.split_at_mut(Token7::floats(size, columns));
        let (keys, value) = own.split_at_mut(5 * size);
        let mut keys = keys.chunks_exact_mut(size);
        let mut next = || keys.next().expect("there are 5 keys");
        let (r, decay, k, away, back) = (next(), next(), next(), next(), next());
        let value = &mut value[..size];
        let (more, bonus) = more.split_at_mut(Self::MORE * size);
        let mut more = more.chunks_exact_mut(size);
        let mut next = || more.next().expect("there are 5 parts");
        let (gate, scale, shift, one, other) = (next(), next(), next(), next(), next());

        self.load(0, at, r);
        self.load(1, at, one);
        sigmoid_each::<A>(one, other);
        other.iter_mut().for_each(|x| *x *= FASTEST as f32);
        exp_each::<A>(other, decay);

        self.load(2, at, k);
        self.load(4, at, one);
        sigmoid_each::<A>(one, back);
        self.load_weight(0, at, one);
        for ((away, k), by) in away.iter_mut().zip(&*k).zip(&*one) {
            *away = k * by;
        }
        let length = sum_squares::<A>(away).sqrt().max(SHORTEST);
        self.load_weight(1, at, one);
        for (((away, back), k), k_a) in away.iter_mut().zip(back).zip(&mut *k).zip(&*one) {
            let (rate, d) = (*back, *away / length);
            *k = A::fma(*k, (rate - 1.0) * k_a, *k);
            (*away, *back) = (-d, d * rate);
        }

        self.load(3, at, value);
        if let Some(first) = &self.first {
            self.load(6, at, one);
            sigmoid_each::<A>(one, other);
            first.load(at.row, one);
            for ((value, theirs), share) in value.iter_mut().zip(&*one).zip(&*other) {
                *value = A::fma(theirs - *value, *share, *value);
            }
        }
        if let Some(keep) = &self.new_first {
            // SAFETY: this head of this token belongs to one task.
            unsafe { keep.row(at.row) }.store(value);
        }

        self.load_weight(2, at, one);
        for ((one, r), k) in one.iter_mut().zip(&*r).zip(&*k) {
            *one *= r * k;
        }
        bonus[0] = sum_of::<A>(one, |x| x);
        if self.gate {
            self.load(5, at, gate);
        }
        if self.norm.is_some() {
            self.load_weight(3, at, scale);
            self.load_weight(4, at, shift);
        }
    }

    #[inline(always)]
    fn step<A: Arch>(&self, step: Step<'_>) {
        Token7::step::<A>(step, self.split.size);
    }

    #[inline(always)]
    fn finish<A: Arch>(&self, at: At, token: &[f32], out: &mut [f32]) {
        let Split { size, columns, .. } = self.split;
        let (own, more) = token.split_at(Token7::floats(size, columns));
        let (values, y) = (&own[5 * size..][..size], &mut out[..size]);
        let part = |n: usize| &more[n * size..][..size];
        if let Some(epsilon) = self.norm {
            let mean = sum_of::<A>(y, |y| y) / size as f32;
            let variance = sum_of::<A>(y, |y| (y - mean) * (y - mean)) / size as f32;
            let by = 1.0 / (variance + epsilon).sqrt();
            for ((y, scale), shift) in y.iter_mut().zip(part(1)).zip(part(2)) {
                *y = A::fma((*y - mean) * by, *scale, *shift);
            }
        }
        let bonus = more[Self::MORE * size];
        for (y, v) in y.iter_mut().zip(values) {
            *y = A::fma(bonus, *v, *y);
        }
        if self.gate {
            y.iter_mut().zip(part(0)).for_each(|(y, gate)| *y *= gate);
        }
        // SAFETY: this head of this token belongs to one task.
        unsafe { self.out.row(at.row) }.store(y);
    }
}
