//! On WebGPU: a thread for each channel of a sequence.

use super::Wkv4;
use crate::wgsl::{Build, launch_over, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &Wkv4, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "wkv4";
    let Wkv4 { k, v, w, u, state, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (sequences, tokens, channels) = (v.shape()[0], v.shape()[1], v.shape()[2]);
    let elements = size(NAME, sequences * channels)?;
    let (row, groups) = launch_over(elements);
    let mut build = Build::new(gpu, "wkv4.wgsl", include_str!("wkv4.wgsl"))
        .u32("elements", elements)
        .u32("row", row)
        .u32("tokens", size(NAME, tokens)?)
        .u32("channels", size(NAME, channels)?);
    for (name, view) in [("k", k), ("v", v), ("w", w), ("u", u)] {
        build = build.read(name, view).rows(NAME, name, view)?;
    }
    for (name, view) in [("out", out), ("state", state)] {
        build = build.write(name, view).rows(NAME, name, view)?;
    }
    Ok(build.launch(groups, THREADS)?.into())
}
