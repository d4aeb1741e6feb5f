//! On WebGPU: a workgroup for each row. `add_rms_norm` uses the same kernel.

use super::RmsNorm;
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &RmsNorm, gpu: &GpuTraits) -> Result<Launches> {
    let build = kernel(gpu)
        .read("x", &op.x)
        .rows("rms_norm", "x", &op.x)?
        .also("var<private> base_x: i32;\nfn begin(row: u32) { base_x = row_x(row); }\n")
        .also("fn value(i: i32) -> f32 { return load_x(base_x + i * params.x_step); }\n")
        .also("fn keep(i: i32, x: f32) {}\n");
    norm("rms_norm", build, &op.weight, op.epsilon, &op.out)
}

/// The kernel with no operands yet: `begin`, `value` and `keep` say what is normed.
pub(crate) fn kernel(gpu: &GpuTraits) -> Build<'_> {
    Build::new(gpu, "rms_norm.wgsl", include_str!("rms_norm.wgsl")).branches()
}

/// The rest of the operands.
pub(crate) fn norm(
    op: &'static str,
    build: Build<'_>,
    weight: &View,
    epsilon: f32,
    out: &View,
) -> Result<Launches> {
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let threads = build.row_threads(out.shape().width());
    let build = build
        .read("weight", weight)
        .rows(op, "weight", weight)?
        .write("out", out)
        .rows(op, "out", out)?
        .u32("rows", size(op, out.shape().rows())?)
        .u32("width", size(op, out.shape().width())?)
        .f32("epsilon", epsilon);
    Ok(build.launch(grid(out.shape().rows()), threads)?.into())
}
