//! On Metal: a thread per channel of a sequence, which goes through its tokens.

use super::ShortConv;
use crate::gpu::{Draft, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn short_conv(op: &ShortConv, gpu: &GpuTraits) -> Result<Launches> {
    let ShortConv { x, weight, state, out } = op;
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let (sequences, tokens, channels) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    let source = msl!("../../gpu/types.metal", "short_conv.metal");
    let mut draft = Draft::new(op.name(), source, "short_conv", gpu)
        .read("X", x)
        .read("WEIGHT", weight)
        .write("OUT", out)
        .write_another(state)
        .define("HELD", (weight.shape()[1] - 1).to_string())
        .size("tokens", tokens)
        .size("channels", channels);
    for (name, view) in [("x", x), ("out", out), ("state", state)] {
        draft = draft
            .step_of(format_args!("{name}_sequence"), view, 0)
            .step_of(format_args!("{name}_token"), view, 1)
            .last_step(format_args!("{name}_step"), view);
    }
    let draft = draft.step_of("weight_channel", weight, 0).last_step("weight_step", weight);
    Ok(draft.over([channels, sequences, 1])?.into())
}
