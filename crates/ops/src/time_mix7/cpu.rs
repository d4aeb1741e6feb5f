//! On the CPU: a task has some heads, and goes through all tokens with each. The state stays in the
//! first-level cache meanwhile.

use super::{FASTEST, PARTS, SHORTEST, TimeMix7, WEIGHTS};
use crate::{
    check::dims,
    wkv::cpu::{COLUMNS, GRAIN, Token},
    wkv7,
};
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{
    Arch, Kernel,
    fold::{sum_of, sum_squares},
    math::{exp_each, sigmoid_each},
};

pub(super) fn time_mix7(op: &TimeMix7, cpu: &CpuContext<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.out.shape());
    if op.out.elements() == 0 {
        return;
    }
    let columns = size.next_multiple_of(COLUMNS);
    let (x, weights, state, isa) =
        (cpu.rows(&op.x), cpu.rows(&op.weights), cpu.rows(&op.state), cpu.isa());
    let (out, new_state) = (cpu.out_rows(&op.out), cpu.out_rows(&op.state));
    let first = (!op.is_first).then(|| cpu.rows(&op.first));
    let new_first = op.is_first.then(|| cpu.out_rows(&op.first));
    // A state that lies as the kernels want it is changed in its place.
    let whole = (columns == size && op.state.is_contiguous()).then(|| cpu.output::<f32>(&op.state));
    let copied = if whole.is_some() { 0 } else { size * columns };
    let room = (PARTS + WEIGHTS + 3) * size + 2 * columns + copied;
    let grain = GRAIN / (tokens * size * columns) + 1;
    cpu.split_with(sequences * heads, grain, room, |tasks, memory| {
        let (parts, memory) = memory.split_at_mut(PARTS * size);
        let (own, memory) = memory.split_at_mut(WEIGHTS * size);
        let (more, memory) = memory.split_at_mut(3 * size);
        let (value, memory) = memory.split_at_mut(columns);
        let (result, copy) = memory.split_at_mut(columns);
        value.fill(0.0);
        copy.fill(0.0);
        for matrix in tasks {
            let (sequence, head) = (matrix / heads, matrix % heads);
            for (n, to) in own.chunks_exact_mut(size).enumerate() {
                weights.load(n * heads + head, to);
            }
            let cells = match &whole {
                // SAFETY: each matrix belongs to one task.
                Some(all) => unsafe { all.range(matrix * size * size..(matrix + 1) * size * size) },
                None => {
                    for (key, to) in copy.chunks_exact_mut(columns).enumerate() {
                        state.load(matrix * size + key, &mut to[..size]);
                    }
                    &mut *copy
                }
            };
            for token in 0..tokens {
                let row = (sequence * tokens + token) * heads + head;
                for (n, to) in parts.chunks_exact_mut(size).enumerate() {
                    x.load(n * sequences * tokens * heads + row, to);
                }
                let (theirs, more) = more.split_at_mut(size);
                match (&first, &new_first) {
                    (Some(first), _) => first.load(row, theirs),
                    // SAFETY: this head of this token belongs to one task.
                    (_, Some(keep)) => unsafe { keep.row(row) }.store(&parts[3 * size..4 * size]),
                    (None, None) => {}
                }
                let (away, back) = more.split_at_mut(size);
                let theirs = first.is_some().then_some(&*theirs);
                let bonus = isa.run(Before { parts, weights: own, theirs, away, back, value });
                let [r, decay, key] = [0, 1, 2].map(|n| &parts[n * size..][..size]);
                let keys = [r, decay, key, &*away, &*back];
                wkv7::step(isa, Token { head, keys, values: value, state: cells, out: result });
                let gate = op.gate.then_some(&parts[5 * size..6 * size]);
                let (values, y) = (&value[..size], &mut result[..size]);
                isa.run(After { weights: own, norm: op.norm, bonus, values, gate, y });
                // SAFETY: this head of this token belongs to one task.
                unsafe { out.row(row) }.store(&result[..size]);
            }
            if whole.is_none() {
                for (key, from) in cells.chunks_exact(columns).enumerate() {
                    // SAFETY: this matrix belongs to one task.
                    unsafe { new_state.row(matrix * size + key) }.store(&from[..size]);
                }
            }
        }
    });
}

/// What the recurrence needs of a token: decay and keys take the place of what they are made of.
struct Before<'a> {
    parts: &'a mut [f32],
    weights: &'a [f32],
    /// The values of the first layer, if this is another.
    theirs: Option<&'a [f32]>,
    away: &'a mut [f32],
    back: &'a mut [f32],
    value: &'a mut [f32],
}

impl Kernel for Before<'_> {
    /// How much of the token's own value is added to the result.
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        let Before { parts, weights, theirs, away, back, value } = self;
        let size = away.len();
        let mut parts = parts.chunks_exact_mut(size);
        let mut next = || parts.next().expect("there are 7 parts");
        let (r, w, k, v, a, _, f) = (next(), next(), next(), next(), next(), next(), next());
        let (k_k, weights) = weights.split_at(size);
        let (k_a, weights) = weights.split_at(size);
        let r_k = &weights[..size];

        sigmoid_each::<A>(w, away);
        away.iter_mut().for_each(|x| *x *= FASTEST as f32);
        exp_each::<A>(away, w);
        sigmoid_each::<A>(a, back);
        for ((away, k), k_k) in away.iter_mut().zip(&*k).zip(k_k) {
            *away = k * k_k;
        }
        let length = sum_squares::<A>(away).sqrt().max(SHORTEST);
        for (((away, back), k), k_a) in away.iter_mut().zip(back).zip(&mut *k).zip(k_a) {
            let (rate, d) = (*back, *away / length);
            *k = A::fma(*k, (rate - 1.0) * k_a, *k);
            (*away, *back) = (-d, d * rate);
        }
        value[..size].copy_from_slice(v);
        if let Some(theirs) = theirs {
            // The learning rate is no longer needed.
            sigmoid_each::<A>(f, a);
            for ((value, theirs), share) in value.iter_mut().zip(theirs).zip(&*a) {
                *value = A::fma(theirs - *value, *share, *value);
            }
        }
        for (((a, r), k), r_k) in a.iter_mut().zip(&*r).zip(&*k).zip(r_k) {
            *a = r * k * r_k;
        }
        sum_of::<A>(a, |x| x)
    }
}

/// Norms what a head says, adds the bonus and gates it.
struct After<'a> {
    weights: &'a [f32],
    norm: Option<f32>,
    bonus: f32,
    values: &'a [f32],
    gate: Option<&'a [f32]>,
    y: &'a mut [f32],
}

impl Kernel for After<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let After { weights, norm, bonus, values, gate, y } = self;
        let size = y.len();
        if let Some(epsilon) = norm {
            let (scale, shift) = (&weights[3 * size..4 * size], &weights[4 * size..]);
            let mean = sum_of::<A>(y, |y| y) / size as f32;
            let variance = sum_of::<A>(y, |y| (y - mean) * (y - mean)) / size as f32;
            let by = 1.0 / (variance + epsilon).sqrt();
            for ((y, scale), shift) in y.iter_mut().zip(scale).zip(shift) {
                *y = A::fma((*y - mean) * by, *scale, *shift);
            }
        }
        for (y, v) in y.iter_mut().zip(values) {
            *y = A::fma(bonus, *v, *y);
        }
        if let Some(gate) = gate {
            y.iter_mut().zip(gate).for_each(|(y, gate)| *y *= gate);
        }
    }
}
