//! The reference implementation.

use super::TokenShift;
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn token_shift(op: &TokenShift, host: &mut Host<'_>) {
    let [_, tokens, channels]: [usize; 3] = dims(op.x.shape());
    let (x, mut state) = (host.read(&op.x), host.read(&op.state));
    let mu = host.read(&op.full_mu().expect("checked: it broadcasts"));
    let mut out = Vec::with_capacity(mu.len());
    for (i, mu) in mu.iter().enumerate() {
        let at = i % x.len();
        let (sequence, token, channel) =
            (at / channels / tokens, at / channels % tokens, at % channels);
        let before =
            if token == 0 { state[sequence * channels + channel] } else { x[at - channels] };
        out.push(x[at] + (before - x[at]) * mu);
    }
    host.write(&op.out, &out);
    if op.update && tokens > 0 {
        for (i, state) in state.iter_mut().enumerate() {
            let (sequence, channel) = (i / channels, i % channels);
            *state = x[((sequence + 1) * tokens - 1) * channels + channel];
        }
        host.write(&op.state, &state);
    }
}
