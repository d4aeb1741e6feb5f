//! On WebGPU: a workgroup per head of a sequence, a thread per column of its state.

use super::Wkv6;
use crate::{
    wgsl::{Build, size},
    wkv::webgpu::{launch, places},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &Wkv6, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "wkv6";
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let mut build = Build::new(gpu, "wkv6.wgsl", include_str!("wkv6.wgsl"))
        .u32("tokens", size(NAME, op.v.shape()[1])?)
        .read("u", &op.u)
        .rows(NAME, "u", &op.u)?;
    for (name, view) in [("r", &op.r), ("k", &op.k), ("v", &op.v), ("decay", &op.decay)] {
        build = places(build.read(name, view), NAME, name, view)?;
    }
    build = places(build.write("out", &op.out), NAME, "out", &op.out)?;
    Ok(launch(build, NAME, &op.state)?.into())
}
