//! The reference implementation.

use super::ShortConv;
use crate::check::dims;
use bessemer_core::Host;

pub(super) fn short_conv(op: &ShortConv, host: &mut Host<'_>) {
    let [sequences, tokens, channels]: [usize; 3] = dims(op.x.shape());
    let length = op.weight.shape()[1];
    let (x, weight) = (host.read(&op.x), host.read(&op.weight));
    let mut state = host.read(&op.state);
    let mut out = Vec::with_capacity(x.len());
    for sequence in 0..sequences {
        let before = sequence * (length - 1) * channels..(sequence + 1) * (length - 1) * channels;
        let own = sequence * tokens * channels..(sequence + 1) * tokens * channels;
        // Old and new tokens, one after the other.
        let all = [&state[before.clone()], &x[own]].concat();
        for i in 0..tokens * channels {
            let term = |l: usize| all[i + l * channels] * weight[i % channels * length + l];
            out.push((0..length).map(term).sum());
        }
        state[before].copy_from_slice(&all[tokens * channels..]);
    }
    host.write(&op.out, &out);
    host.write(&op.state, &state);
}
