//! On Metal: a threadgroup per row.

use super::LayerNorm;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn layer_norm(op: &LayerNorm, gpu: &GpuTraits) -> Result<Launches> {
    let LayerNorm { x, weight, bias, epsilon, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (width, rows) = (x.shape().width(), Rows::new([x, out], 1));
    let source = msl!("../../gpu/types.metal", "../../gpu/moments.metal", "layer_norm.metal");
    let launch = Draft::new(op.name(), source, "layer_norm", gpu)
        .read("X", x)
        .maybe("W", weight.as_ref(), x)
        .maybe("BIAS", bias.as_ref(), x)
        .write("OUT", out)
        .size("width", width)
        .last_step("x_step", x)
        .last_step("weight_step", weight.as_ref().unwrap_or(x))
        .last_step("bias_step", bias.as_ref().unwrap_or(x))
        .last_step("out_step", out)
        .float("epsilon", *epsilon)
        .rows("rows", &rows)
        .grid([rows.count(), 1, 1], [threads_for(gpu, width), 1, 1])?;
    Ok(launch.into())
}
