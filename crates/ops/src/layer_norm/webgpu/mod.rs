//! On WebGPU: a workgroup for each row. `group_norm` and `add_layer_norm` use the same kernel.

use super::LayerNorm;
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &LayerNorm, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "layer_norm";
    let affine = (op.weight.as_ref(), op.bias.as_ref());
    norm(NAME, of(NAME, gpu, &op.x)?, affine, op.epsilon, &op.out, Runs::rows(&op.x))
}

/// What is normed together, and which of it has a weight of its own.
pub(crate) struct Runs {
    pub(crate) width: usize,
    pub(crate) channels: usize,
    pub(crate) size: usize,
}

impl Runs {
    /// Each row for itself.
    pub(crate) fn rows(view: &View) -> Runs {
        let width = view.shape().width();
        Runs { width, channels: width, size: 1 }
    }
}

/// The kernel with no operands yet: `value` and `keep` say what is normed.
pub(crate) fn kernel(gpu: &GpuTraits) -> Build<'_> {
    Build::new(gpu, "layer_norm.wgsl", include_str!("layer_norm.wgsl")).branches()
}

/// The kernel that norms `x`.
pub(crate) fn of<'g>(op: &'static str, gpu: &'g GpuTraits, x: &View) -> Result<Build<'g>> {
    Ok(kernel(gpu)
        .read("x", x)
        .places(op, "place_x", x.shape(), x.strides())?
        .also("fn value(i: u32) -> f32 { return load_x(place_x(i)); }\n")
        .also("fn keep(i: u32, x: f32) {}\n"))
}

/// The rest of the operands.
pub(crate) fn norm(
    op: &'static str,
    build: Build<'_>,
    (weight, bias): (Option<&View>, Option<&View>),
    epsilon: f32,
    out: &View,
    runs: Runs,
) -> Result<Launches> {
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let count = out.elements() / runs.width;
    let threads = build.row_threads(runs.width);
    let build = build
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
