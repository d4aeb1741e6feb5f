//! On Metal: a thread per channel of a token, for all its mixes.

use super::TokenShift;
use crate::gpu::{Draft, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn token_shift(op: &TokenShift, gpu: &GpuTraits) -> Result<Launches> {
    let TokenShift { x, state, update, out, .. } = op;
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let mu = &op.full_mu()?;
    let (sequences, tokens, channels) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    let source = msl!("../../gpu/types.metal", "token_shift.metal");
    let draft = Draft::new(op.name(), source, "token_shift", gpu)
        .read("X", x)
        .read("MU", mu)
        .write("OUT", out);
    let draft = match update {
        true => draft.write("STATE", state).define("UPDATE", "1"),
        false => draft.read_as("STATE", "const float", state),
    };
    let mut draft = draft
        .size("mixes", out.shape()[0])
        .size("tokens", tokens)
        .size("channels", channels)
        .step_of("x_sequence", x, 0)
        .step_of("x_token", x, 1)
        .last_step("x_step", x)
        .step_of("state_sequence", state, 0)
        .last_step("state_step", state);
    for (name, view) in [("mu", mu), ("out", out)] {
        draft = draft
            .step_of(format_args!("{name}_mix"), view, 0)
            .step_of(format_args!("{name}_sequence"), view, 1)
            .step_of(format_args!("{name}_token"), view, 2)
            .last_step(format_args!("{name}_step"), view);
    }
    Ok(draft.over([channels, tokens, sequences])?.into())
}
