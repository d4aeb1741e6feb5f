//! On Metal: a threadgroup per head of a sequence, a thread per column of its state.

use super::{FASTEST, SHORTEST, TimeMix7};
use crate::{
    gpu::{Draft, msl},
    wkv::metal::{launch, steps},
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn time_mix7(op: &TimeMix7, gpu: &GpuTraits) -> Result<Launches> {
    let TimeMix7 { x, weights, first, is_first, norm, gate, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let source = msl!("../../gpu/types.metal", "../../wkv/heads.metal", "time_mix7.metal");
    let draft = Draft::new(op.name(), source, "time_mix7", gpu)
        .read("X", x)
        .read_another(weights)
        .write("OUT", out)
        .write_another(state);
    let draft = match is_first {
        true => draft.write_as("FIRST", "float", first).define("IS_FIRST", "1"),
        false => draft.read_as("FIRST", "const float", first),
    };
    let mut draft = draft
        .define_if(norm.is_some(), "NORM")
        .define_if(*gate, "GATE")
        .size("tokens", out.shape()[1])
        .size("size", out.shape()[3])
        .float("epsilon", norm.unwrap_or(0.0))
        .float("fastest", FASTEST as f32)
        .float("shortest", SHORTEST)
        .step_of("part", x, 0)
        .step_of("weight_part", weights, 0)
        .step_of("weight_head", weights, 1)
        .step_of("weight_step", weights, 2);
    let one = x.narrow(0, 0..1)?.squeeze(0)?;
    for (name, view) in [("x", &one), ("first", first), ("out", out)] {
        draft = steps(draft, name, view);
    }
    Ok(launch(draft, state)?.into())
}
