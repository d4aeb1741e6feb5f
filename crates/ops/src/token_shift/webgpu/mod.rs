//! On WebGPU: a thread for each channel of a token, for all its mixes.

use super::TokenShift;
use crate::wgsl::{Build, launch_over, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &TokenShift, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "token_shift";
    let TokenShift { x, state, update, out, .. } = op;
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let mu = op.full_mu()?;
    let elements = size(NAME, x.elements())?;
    let (row, groups) = launch_over(elements);
    // All mixes are counted together.
    size(NAME, out.elements())?;
    let build = Build::new(gpu, "token_shift.wgsl", include_str!("token_shift.wgsl"))
        .read("x", x)
        .rows(NAME, "x", x)?
        .read("mu", &mu)
        .rows(NAME, "mu", &mu)?
        .write("out", out)
        .rows(NAME, "out", out)?
        .u32("elements", elements)
        .u32("row", row)
        .u32("rows", size(NAME, x.shape().rows())?)
        .u32("mixes", size(NAME, out.shape()[0])?)
        .u32("tokens", size(NAME, x.shape()[1])?)
        .u32("channels", size(NAME, x.shape()[2])?);
    let build = match update {
        true => build
            .write("state", state)
            .also("fn update(state: i32, value: f32) { store_state(state, value); }\n"),
        false => build.read("state", state).also("fn update(state: i32, value: f32) {}\n"),
    };
    Ok(build.rows(NAME, "state", state)?.launch(groups, THREADS)?.into())
}
