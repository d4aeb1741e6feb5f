//! On WebGPU: numbers by a program, blocks by halves of words.

use super::program;
use crate::wgsl;
use bessemer_core::{
    DeviceKind, Operation, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};

/// Launches that make `out` of `x`, rounded as [`Copy`](super::Copy) says.
pub(crate) fn launches(x: &View, out: &View, gpu: &GpuTraits) -> Result<Launches> {
    if x.dtype().is_block() {
        return Ok(blocks(x, out, gpu)?.map(Launches::from).unwrap_or_default());
    }
    program::map(x, out, DeviceKind::WebGpu)?.webgpu(gpu)
}

fn blocks(x: &View, out: &View, gpu: &GpuTraits) -> Result<Option<Launch>> {
    let (len, halves) = (x.dtype().block_len(), x.dtype().block_bytes() / 2);
    let width = x.shape().width() / len * halves;
    let elements = wgsl::size("copy", x.shape().rows() * width)?;
    if elements == 0 {
        return Ok(None);
    }
    let (row, groups) = wgsl::launch_over(elements);
    let build = wgsl::Build::new(gpu, "copy/blocks.wgsl", include_str!("blocks.wgsl"))
        .read("x", x)
        .write("out", out)
        .block_rows("copy", "x", x)?
        .block_rows("copy", "out", out)?
        .u32("width", wgsl::size("copy", width)?)
        .u32("elements", elements)
        .u32("row", row);
    Ok(Some(build.launch(groups, bessemer_program::wgsl::THREADS)?))
}
