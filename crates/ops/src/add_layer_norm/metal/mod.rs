//! On Metal: a threadgroup per row.

use super::AddLayerNorm;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn add_layer_norm(op: &AddLayerNorm, gpu: &GpuTraits) -> Result<Launches> {
    let AddLayerNorm { x, y, weight, bias, epsilon, sum, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (width, rows) = (x.shape().width(), Rows::new([x, y, sum, out], 1));
    let source = msl!("../../gpu/types.metal", "../../gpu/moments.metal", "add_layer_norm.metal");
    let launch = Draft::new(op.name(), source, "add_layer_norm", gpu)
        .read("X", x)
        .read("Y", y)
        .read("W", weight)
        .maybe("BIAS", bias.as_ref(), x)
        .write("SUM", sum)
        .write("OUT", out)
        .size("width", width)
        .last_step("x_step", x)
        .last_step("y_step", y)
        .last_step("weight_step", weight)
        .last_step("bias_step", bias.as_ref().unwrap_or(x))
        .last_step("sum_step", sum)
        .last_step("out_step", out)
        .float("epsilon", *epsilon)
        .rows("rows", &rows)
        .grid([rows.count(), 1, 1], [threads_for(gpu, width), 1, 1])?;
    Ok(launch.into())
}
