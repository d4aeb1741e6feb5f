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
    /// What there is room for besides what a token's step needs: two parts as long as a head, and the
    /// bonus.
    const MORE: usize = 2;

    #[inline(always)]
    fn x<'b>(&'b self, part: usize, at: At, buffer: &'b mut [f32]) -> &'b [f32] {
        self.x.get(part * self.rows + at.row, buffer)
    }

    #[inline(always)]
    fn weight<'b>(&'b self, part: usize, at: At, buffer: &'b mut [f32]) -> &'b [f32] {
        self.weights.get(part * self.heads + at.head, buffer)
    }
}

impl Recurrence for Heads<'_> {
    #[inline(always)]
    fn floats(&self) -> usize {
        let Split { size, columns, .. } = self.split;
        Token7::floats(size, columns) + Self::MORE * size + 1
    }

    #[inline(always)]
    fn prefetch(&self, at: At) {
        let ask = |part: usize| self.x.prefetch(part * self.rows + at.row);
        (0..5).for_each(ask);
        if self.gate {
            ask(5);
        }
        if let Some(first) = &self.first {
            ask(6);
            first.prefetch(at.row);
        }
        if let Some(first) = &self.new_first {
            first.prefetch(at.row);
        }
        self.out.prefetch(at.row);
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
        let (one, other) = more.split_at_mut(size);

        r.copy_from_slice(self.x(0, at, one));
        sigmoid_each::<A>(self.x(1, at, one), other);
        other.iter_mut().for_each(|x| *x *= FASTEST as f32);
        exp_each::<A>(other, decay);

        k.copy_from_slice(self.x(2, at, one));
        sigmoid_each::<A>(self.x(4, at, one), back);
        for ((away, k), by) in away.iter_mut().zip(&*k).zip(self.weight(0, at, one)) {
            *away = k * by;
        }
        let shorter = 1.0 / sum_squares::<A>(away).sqrt().max(SHORTEST);
        let k_a = self.weight(1, at, one);
        for (((away, back), k), k_a) in away.iter_mut().zip(back).zip(&mut *k).zip(k_a) {
            let (rate, d) = (*back, *away * shorter);
            *k = A::fma(*k, (rate - 1.0) * k_a, *k);
            (*away, *back) = (-d, d * rate);
        }

        value.copy_from_slice(self.x(3, at, one));
        if let Some(first) = &self.first {
            sigmoid_each::<A>(self.x(6, at, one), other);
            let theirs = first.get(at.row, one);
            for ((value, theirs), share) in value.iter_mut().zip(theirs).zip(&*other) {
                *value = A::fma(theirs - *value, *share, *value);
            }
        }
        if let Some(keep) = &self.new_first {
            // SAFETY: this head of this token belongs to one task.
            unsafe { keep.row(at.row) }.store(value);
        }

        let r_k = self.weight(2, at, one);
        for (((own, r), k), r_k) in other.iter_mut().zip(&*r).zip(&*k).zip(r_k) {
            *own = r * k * r_k;
        }
        bonus[0] = sum_of::<A>(other, |x| x);
    }

    #[inline(always)]
    fn step<A: Arch>(&self, step: Step<'_>) {
        Token7::step::<A>(step, self.split.size);
    }

    #[inline(always)]
    fn finish<A: Arch>(&self, at: At, token: &mut [f32], out: &mut [f32]) {
        let Split { size, columns, .. } = self.split;
        let (own, more) = token.split_at_mut(Token7::floats(size, columns));
        let (values, y) = (&own[5 * size..][..size], &mut out[..size]);
        let (more, bonus) = more.split_at_mut(Self::MORE * size);
        let (one, other) = more.split_at_mut(size);
        if let Some(epsilon) = self.norm {
            let mean = sum_of::<A>(y, |y| y) / size as f32;
            let variance = sum_of::<A>(y, |y| (y - mean) * (y - mean)) / size as f32;
            let by = 1.0 / (variance + epsilon).sqrt();
            let (scale, shift) = (self.weight(3, at, one), self.weight(4, at, other));
            for ((y, scale), shift) in y.iter_mut().zip(scale).zip(shift) {
                *y = A::fma((*y - mean) * by, *scale, *shift);
            }
        }
        let bonus = bonus[0];
        for (y, v) in y.iter_mut().zip(values) {
            *y = A::fma(bonus, *v, *y);
        }
        if self.gate {
            y.iter_mut().zip(self.x(5, at, one)).for_each(|(y, gate)| *y *= gate);
        }
        // SAFETY: this head of this token belongs to one task.
        unsafe { self.out.row(at.row) }.store(y);
    }
}
