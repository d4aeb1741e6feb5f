//! On WebGPU: a thread for each channel of a sequence, which goes through its tokens.

use super::ShortConv;
use crate::wgsl::{Build, launch_over, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &ShortConv, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "short_conv";
    let ShortConv { x, weight, state, out } = op;
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let length = weight.shape()[1];
    let threads = size(NAME, x.shape()[0] * x.shape()[2])?;
    let (row, groups) = launch_over(threads);
    let build = Build::new(gpu, "short_conv.wgsl", include_str!("short_conv.wgsl"))
        .define("HELD", format!("{}u", length - 1))
        .read("x", x)
        .rows(NAME, "x", x)?
        .read("weight", weight)
        .rows(NAME, "weight", weight)?
        .write("out", out)
        .rows(NAME, "out", out)?
        .write("state", state)
        .rows(NAME, "state", state)?
        .u32("threads", threads)
        .u32("row", row)
        .u32("tokens", size(NAME, x.shape()[1])?)
        .u32("channels", size(NAME, x.shape()[2])?);
    Ok(build.launch(groups, THREADS)?.into())
}
