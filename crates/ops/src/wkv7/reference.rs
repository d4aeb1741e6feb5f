//! The reference implementation.

use super::Wkv7;
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn wkv7(op: &Wkv7, host: &mut Host<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.v.shape());
    let [r, decay, k] = [&op.r, &op.decay, &op.k].map(|view| host.read(view));
    let [v, a, b] = [&op.v, &op.a, &op.b].map(|view| host.read(view));
    let mut state = host.read(&op.state);
    let mut out = vec![0.0; v.len()];
    for sequence in 0..sequences {
        for token in 0..tokens {
            for head in 0..heads {
                let at = ((sequence * tokens + token) * heads + head) * size;
                let matrix = (sequence * heads + head) * size * size;
                for j in 0..size {
                    let cell = |i: usize| matrix + i * size + j;
                    let sa: f64 = (0..size).map(|i| state[cell(i)] * a[at + i]).sum();
                    for i in 0..size {
                        let new = state[cell(i)] * decay[at + i] + sa * b[at + i];
                        state[cell(i)] = new + v[at + j] * k[at + i];
                    }
                    out[at + j] = (0..size).map(|i| state[cell(i)] * r[at + i]).sum();
                }
            }
        }
    }
    host.write(&op.out, &out);
    host.write(&op.state, &state);
}
