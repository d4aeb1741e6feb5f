//! On Metal: a threadgroup per head of a sequence, a thread per column of its state.

use super::Wkv6;
use crate::{
    gpu::{Draft, msl},
    wkv::metal::{launch, steps},
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn wkv6(op: &Wkv6, gpu: &GpuTraits) -> Result<Launches> {
    let Wkv6 { r, k, v, decay, u, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let source = msl!("../../gpu/types.metal", "../../wkv/heads.metal", "wkv6.metal");
    let mut draft = Draft::new(op.name(), source, "wkv6", gpu)
        .read("R", r)
        .read("K", k)
        .read("V", v)
        .read("DECAY", decay)
        .read("U", u)
        .write("OUT", out)
        .write_another(state)
        .size("tokens", v.shape()[1])
        .size("size", v.shape()[3]);
    for (name, view) in [("r", r), ("k", k), ("v", v), ("decay", decay), ("out", out)] {
        draft = steps(draft, name, view);
    }
    let draft = draft.step_of("u_head", u, 0).step_of("u_step", u, 1);
    Ok(launch(draft, state)?.into())
}
