//! On Metal: a threadgroup per row.

use super::AddRmsNorm;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn add_rms_norm(op: &AddRmsNorm, gpu: &GpuTraits) -> Result<Launches> {
    let AddRmsNorm { x, y, weight, epsilon, sum, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (width, rows) = (x.shape().width(), Rows::new([x, y, sum, out], 1));
    let source = msl!("../../gpu/types.metal", "add_rms_norm.metal");
    let launch = Draft::new(op.name(), source, "add_rms_norm", gpu)
        .read("X", x)
        .read("Y", y)
        .read("W", weight)
        .write("SUM", sum)
        .write("OUT", out)
        .size("width", width)
        .last_step("x_step", x)
        .last_step("y_step", y)
        .last_step("weight_step", weight)
        .last_step("sum_step", sum)
        .last_step("out_step", out)
        .float("epsilon", *epsilon)
        .rows("rows", &rows)
        .grid([rows.count(), 1, 1], [threads_for(gpu, width), 1, 1])?;
    Ok(launch.into())
}
