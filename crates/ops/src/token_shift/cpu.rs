//! On the CPU: a token at a time, all its mixes.

use super::TokenShift;
use crate::check::dims;
use bessemer_core::cpu::CpuContext;
use bessemer_simd::{Arch, Kernel};

pub(super) fn token_shift(op: &TokenShift, cpu: &CpuContext<'_>) {
    let [sequences, tokens, channels]: [usize; 3] = dims(op.x.shape());
    let (mixes, count) = (op.out.shape()[0], sequences * tokens);
    let Ok(mu) = op.full_mu() else { return };
    let (x, mu, state, isa) = (cpu.rows(&op.x), cpu.rows(&mu), cpu.rows(&op.state), cpu.isa());
    let out = cpu.out_rows(&op.out);
    let new_state = op.update.then(|| cpu.out_rows(&op.state));
    let grain = 8192 / (channels * mixes).max(1) + 1;
    cpu.split_with(count, grain, 4 * channels, |rows, memory| {
        let (change, memory) = memory.split_at_mut(channels);
        let (own, memory) = memory.split_at_mut(channels);
        let (factors, buffer) = memory.split_at_mut(channels);
        for row in rows {
            let own = x.get(row, own);
            let (sequence, token) = (row / tokens, row % tokens);
            match token {
                0 => state.load(sequence, change),
                _ => x.load(row - 1, change),
            }
            for (before, x) in change.iter_mut().zip(own) {
                *before -= x;
            }
            for mix in 0..mixes {
                let factors = mu.get(mix * count + row, factors);
                // SAFETY: the mixes of each token belong to one task.
                unsafe { out.row(mix * count + row) }.compute(buffer, |mixed| {
                    isa.run(Mix { own, change, factors, mixed });
                });
            }
            // The state is read for the first token alone, so it may change once that is done.
            if let (0, Some(new_state)) = (token, &new_state) {
                let last = (sequence + 1) * tokens - 1;
                // SAFETY: the first token of each sequence belongs to one task.
                unsafe { new_state.row(sequence) }.copy(&x, last, &mut []);
            }
        }
    });
}

struct Mix<'a> {
    own: &'a [f32],
    change: &'a [f32],
    factors: &'a [f32],
    mixed: &'a mut [f32],
}

impl Kernel for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let operands = self.own.iter().zip(self.change).zip(self.factors);
        for (mixed, ((own, change), factor)) in self.mixed.iter_mut().zip(operands) {
            *mixed = A::fma(*change, *factor, *own);
        }
    }
}
