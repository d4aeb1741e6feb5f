//! On WebGPU: a workgroup per head of a sequence, a thread per column of its state.

use super::{FASTEST, SHORTEST, TimeMix7};
use crate::{
    wgsl::{Build, size, step},
    wkv::webgpu::{launch, places},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &TimeMix7, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "time_mix7";
    let TimeMix7 { x, weights, first, is_first, norm, gate, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    // All parts are counted together.
    size(NAME, x.elements())?;
    let one = x.narrow(0, 0..1)?.squeeze(0)?;
    let mut build = Build::new(gpu, "time_mix7.wgsl", include_str!("time_mix7.wgsl"))
        .u32("tokens", size(NAME, out.shape()[1])?)
        .f32("epsilon", norm.unwrap_or(0.0))
        .f32("fastest", FASTEST as f32)
        .f32("shortest", SHORTEST)
        .i32("part", step(NAME, x.strides()[0])?)
        .read("weights", weights)
        .i32("weight_part", step(NAME, weights.strides()[0])?)
        .i32("weight_head", step(NAME, weights.strides()[1])?)
        .i32("weight_step", step(NAME, weights.strides()[2])?)
        .define("NORM", norm.is_some().to_string())
        .define("GATE", gate.to_string());
    build = places(build.read("x", x), NAME, "x", &one)?;
    build = match is_first {
        true => build.write("first", first).also(
            "fn residual(at: i32, value: f32, share: f32) -> f32 { store_first(at, value); return value; }\n",
        ),
        false => build.read("first", first).also(
            "fn residual(at: i32, value: f32, share: f32) -> f32 {
    return value + (load_first(at) - value) * sigmoid_f32(share);
}\n",
        ),
    };
    build = places(build, NAME, "first", first)?;
    build = places(build.write("out", out), NAME, "out", out)?;
    Ok(launch(build, NAME, state)?.into())
}
