//! On WebGPU: a workgroup for each row. `group_norm` uses the same kernel.

use super::LayerNorm;
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &LayerNorm, gpu: &GpuTraits) -> Result<Launches> {
    let width = op.x.shape().width();
    let runs = Runs { width, channels: width, size: 1 };
    norm(
        "layer_norm",
        gpu,
        &op.x,
        (op.weight.as_ref(), op.bias.as_ref()),
        op.epsilon,
        &op.out,
        runs,
    )
}

/// What is normed together, and which of it has a weight of its own.
pub(crate) struct Runs {
    pub(crate) width: usize,
    pub(crate) channels: usize,
    pub(crate) size: usize,
}

pub(crate) fn norm(
    op: &'static str,
    gpu: &GpuTraits,
    x: &View,
    (weight, bias): (Option<&View>, Option<&View>),
    epsilon: f32,
    out: &View,
    runs: Runs,
) -> Result<Launches> {
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let count = x.elements() / runs.width;
    let build = Build::new(gpu, "layer_norm.wgsl", include_str!("layer_norm.wgsl")).branches();
    let threads = build.row_threads(runs.width);
    let build = build
        .read("x", x)
        .places(op, "place_x", x.shape(), x.strides())?
        .write("out", out)
        .places(op, "place_out", out.shape(), out.strides())?
        .u32("runs", size(op, count)?)
        .u32("width", size(op, runs.width)?)
        .u32("channels", size(op, runs.channels)?)
        .u32("size", size(op, runs.size)?)
        .f32("epsilon", epsilon);
    let build = optional(op, build, "weight", weight, "1.0")?;
    let build = optional(op, build, "bias", bias, "0.0")?;
    Ok(build.launch(grid(count), threads)?.into())
}

/// An operand of one dimension as a function, or a number in its place.
fn optional<'g>(
    op: &'static str,
    build: Build<'g>,
    name: &str,
    view: Option<&View>,
    otherwise: &str,
) -> Result<Build<'g>> {
    let Some(view) = view else {
        return Ok(build.also(&format!("fn {name}_of(i: i32) -> f32 {{ return {otherwise}; }}\n")));
    };
    let function =
        format!("fn {name}_of(i: i32) -> f32 {{ return load_{name}(i * params.{name}_step); }}\n");
    Ok(build.read(name, view).rows(op, name, view)?.also(&function))
}
