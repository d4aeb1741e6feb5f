//! The reference implementation.

use super::Wkv4;
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn wkv4(op: &Wkv4, host: &mut Host<'_>) {
    let [sequences, tokens, channels]: [usize; 3] = dims(op.v.shape());
    let [k, v, w, u] = [&op.k, &op.v, &op.w, &op.u].map(|view| host.read(view));
    let mut state = host.read(&op.state);
    let mut out = vec![0.0; v.len()];
    for sequence in 0..sequences {
        for token in 0..tokens {
            for channel in 0..channels {
                let at = (sequence * tokens + token) * channels + channel;
                let row = |row: usize| (3 * sequence + row) * channels + channel;
                let (a, b, p) = (state[row(0)], state[row(1)], state[row(2)]);
                let most = larger(p, u[channel] + k[at]);
                let (old, new) = ((p - most).exp(), (u[channel] + k[at] - most).exp());
                out[at] = (old * a + new * v[at]) / (old * b + new);
                let most = larger(p + w[channel], k[at]);
                let (old, new) = ((p + w[channel] - most).exp(), (k[at] - most).exp());
                state[row(0)] = old * a + new * v[at];
                state[row(1)] = old * b + new;
                state[row(2)] = most;
            }
        }
    }
    host.write(&op.out, &out);
    host.write(&op.state, &state);
}

/// The larger one; NaN if either is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
