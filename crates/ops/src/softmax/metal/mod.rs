//! On Metal: a threadgroup per row.

use super::Softmax;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn softmax(op: &Softmax, gpu: &GpuTraits) -> Result<Launches> {
    let Softmax { x, scale, log, out, .. } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let mask = op.full_mask().transpose()?;
    let other = mask.as_ref().unwrap_or(x);
    let (width, rows) = (x.shape().width(), Rows::new([x, other, out], 1));
    let source = msl!("../../gpu/types.metal", "softmax.metal");
    let launch = Draft::new(op.name(), source, "softmax", gpu)
        .read("X", x)
        .maybe("MASK", mask.as_ref(), x)
        .write("OUT", out)
        .define_if(*log, "LOG")
        .size("width", width)
        .last_step("x_step", x)
        .last_step("mask_step", other)
        .last_step("out_step", out)
        .float("scale", *scale)
        .rows("rows", &rows)
        .grid([rows.count(), 1, 1], [threads_for(gpu, width), 1, 1])?;
    Ok(launch.into())
}
