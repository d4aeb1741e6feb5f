//! On WebGPU: a workgroup per head of a sequence, a thread per column of its state.

use super::Wkv7;
use crate::{
    wgsl::{Build, size},
    wkv::webgpu::{launch, places},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &Wkv7, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "wkv7";
    let Wkv7 { r, decay, k, v, a, b, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let mut build = Build::new(gpu, "wkv7.wgsl", include_str!("wkv7.wgsl"))
        .u32("tokens", size(NAME, v.shape()[1])?);
    for (name, view) in [("r", r), ("decay", decay), ("k", k), ("v", v), ("a", a), ("b", b)] {
        build = places(build.read(name, view), NAME, name, view)?;
    }
    build = places(build.write("out", out), NAME, "out", out)?;
    Ok(launch(build, NAME, state)?.into())
}
