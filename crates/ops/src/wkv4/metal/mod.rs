//! On Metal: a thread per channel of a sequence.

use super::Wkv4;
use crate::gpu::{Draft, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn wkv4(op: &Wkv4, gpu: &GpuTraits) -> Result<Launches> {
    let Wkv4 { k, v, w, u, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (sequences, tokens, channels) = (v.shape()[0], v.shape()[1], v.shape()[2]);
    let source = msl!("../../gpu/types.metal", "wkv4.metal");
    let mut draft = Draft::new(op.name(), source, "wkv4", gpu)
        .read("K", k)
        .read("V", v)
        .read("W", w)
        .read("U", u)
        .write("OUT", out)
        .write_another(state)
        .size("tokens", tokens)
        .size("channels", channels);
    for (name, view) in [("k", k), ("v", v), ("out", out)] {
        draft = draft
            .step_of(format_args!("{name}_sequence"), view, 0)
            .step_of(format_args!("{name}_token"), view, 1)
            .last_step(format_args!("{name}_step"), view);
    }
    let launch = draft
        .step_of("state_sequence", state, 0)
        .step_of("state_row", state, 1)
        .last_step("state_step", state)
        .last_step("w_step", w)
        .last_step("u_step", u)
        .over([channels, sequences, 1])?;
    Ok(launch.into())
}
