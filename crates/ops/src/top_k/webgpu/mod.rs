//! On WebGPU: a workgroup for each row.

use super::TopK;
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &TopK, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "top_k";
    if op.values.elements() == 0 {
        return Ok(Launches::default());
    }
    let build = Build::new(gpu, "top_k.wgsl", include_str!("top_k.wgsl"));
    let threads = build.row_threads(op.x.shape().width());
    let build = build
        .read("x", &op.x)
        .rows(NAME, "x", &op.x)?
        .write("values", &op.values)
        .rows(NAME, "values", &op.values)?
        .write("indices", &op.indices)
        .rows(NAME, "indices", &op.indices)?
        .u32("rows", size(NAME, op.x.shape().rows())?)
        .u32("width", size(NAME, op.x.shape().width())?)
        .u32("k", size(NAME, op.values.shape().width())?);
    Ok(build.launch(grid(op.x.shape().rows()), threads)?.into())
}
