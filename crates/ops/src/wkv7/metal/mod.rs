//! On Metal: a threadgroup per head of a sequence, a thread per column of its state.

use super::Wkv7;
use crate::{
    gpu::{Draft, msl},
    wkv::metal::{launch, steps},
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn wkv7(op: &Wkv7, gpu: &GpuTraits) -> Result<Launches> {
    let Wkv7 { r, decay, k, v, a, b, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let source = msl!("../../gpu/types.metal", "../../wkv/heads.metal", "wkv7.metal");
    let mut draft = Draft::new(op.name(), source, "wkv7", gpu)
        .read("R", r)
        .read("DECAY", decay)
        .read("K", k)
        .read("V", v)
        .read("A", a)
        .read("B", b)
        .write("OUT", out)
        .write_another(state)
        .size("tokens", v.shape()[1])
        .size("size", v.shape()[3]);
    let views = [("r", r), ("decay", decay), ("k", k), ("v", v), ("a", a), ("b", b), ("out", out)];
    for (name, view) in views {
        draft = steps(draft, name, view);
    }
    Ok(launch(draft, state)?.into())
}
