//! The reference implementation.

use super::Wkv6;
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn wkv6(op: &Wkv6, host: &mut Host<'_>) {
    let [sequences, tokens, heads, size]: [usize; 4] = dims(op.v.shape());
    let [r, k, v, decay, u] = [&op.r, &op.k, &op.v, &op.decay, &op.u].map(|view| host.read(view));
    let mut state = host.read(&op.state);
    let mut out = vec![0.0; v.len()];
    for sequence in 0..sequences {
        for token in 0..tokens {
            for head in 0..heads {
                let at = ((sequence * tokens + token) * heads + head) * size;
                let matrix = (sequence * heads + head) * size * size;
                for i in 0..size {
                    for j in 0..size {
                        let cell = &mut state[matrix + i * size + j];
                        let kv = k[at + i] * v[at + j];
                        out[at + j] += r[at + i] * (*cell + u[head * size + i] * kv);
                        *cell = decay[at + i] * *cell + kv;
                    }
                }
            }
        }
    }
    host.write(&op.out, &out);
    host.write(&op.state, &state);
}
