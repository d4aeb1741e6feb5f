//! On Metal: a threadgroup per row.

use super::RmsNorm;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn rms_norm(op: &RmsNorm, gpu: &GpuTraits) -> Result<Launches> {
    let RmsNorm { x, weight, epsilon, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (width, rows) = (x.shape().width(), Rows::new([x, out], 1));
    let source = msl!("../../gpu/types.metal", "rms_norm.metal");
    let launch = Draft::new(op.name(), source, "rms_norm", gpu)
        .read("X", x)
        .read("W", weight)
        .write("OUT", out)
        .size("width", width)
        .last_step("x_step", x)
        .last_step("weight_step", weight)
        .last_step("out_step", out)
        .float("epsilon", *epsilon)
        .rows("rows", &rows)
        .grid([rows.count(), 1, 1], [threads_for(gpu, width), 1, 1])?;
    Ok(launch.into())
}
