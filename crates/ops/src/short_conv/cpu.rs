//! On the CPU: a token at a time, all its channels; then the state.

use super::ShortConv;
use crate::check::dims;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel};

pub(super) fn short_conv(op: &ShortConv, cpu: &CpuContext<'_>) {
    let [sequences, tokens, channels]: [usize; 3] = dims(op.x.shape());
    if op.x.elements() == 0 {
        return;
    }
    let length = op.weight.shape()[1];
    let Ok(weight) = op.weight.permute(&[1, 0]) else { return };
    let (x, weight, state, isa) =
        (cpu.rows(&op.x), cpu.rows(&weight), cpu.rows(&op.state), cpu.isa());
    let (out, new_state) = (cpu.out_rows(&op.out), cpu.out_rows(&op.state));
    let room = (length + 3) * channels;
    let grain = 8192 / (channels * length) + 1;
    cpu.split_with(sequences * tokens, grain, room, |rows, memory| {
        let (factors, memory) = memory.split_at_mut(length * channels);
        let (sum, memory) = memory.split_at_mut(channels);
        let (one, buffer) = memory.split_at_mut(channels);
        for (l, to) in factors.chunks_exact_mut(channels).enumerate() {
            weight.load(l, to);
        }
        for row in rows {
            let (sequence, token) = (row / tokens, row % tokens);
            sum.fill(0.0);
            for (l, factors) in factors.chunks_exact(channels).enumerate() {
                let x = match (token + l).checked_sub(length - 1) {
                    Some(token) => x.get(sequence * tokens + token, one),
                    None => state.get(sequence * (length - 1) + token + l, one),
                };
                isa.run(Add { x, factors, sum });
            }
            // SAFETY: each token belongs to one task.
            unsafe { out.row(row) }.compute(buffer, |to| to.copy_from_slice(sum));
        }
    });
    // All tokens have been computed, so the state may change, its oldest token first.
    cpu.split_with(sequences, 1, channels, |tasks, buffer| {
        for (sequence, n) in tasks.flat_map(|sequence| (0..length - 1).map(move |n| (sequence, n)))
        {
            let before = sequence * (length - 1);
            // SAFETY: each sequence belongs to one task.
            let to = unsafe { new_state.row(before + n) };
            match (tokens + n).checked_sub(length - 1) {
                Some(token) => to.copy(&x, sequence * tokens + token, buffer),
                None => to.copy(&state, before + tokens + n, buffer),
            }
        }
    });
}

/// `sum += x * factors`.
struct Add<'a> {
    x: &'a [f32],
    factors: &'a [f32],
    sum: &'a mut [f32],
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for ((sum, x), factor) in self.sum.iter_mut().zip(self.x).zip(self.factors) {
            *sum = A::fma(*x, *factor, *sum);
        }
    }
}
