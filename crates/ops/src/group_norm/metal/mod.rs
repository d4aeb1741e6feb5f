//! On Metal: a threadgroup per group of channels.

use super::GroupNorm;
use crate::gpu::{Draft, Rows, msl, threads_for};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn group_norm(op: &GroupNorm, gpu: &GpuTraits) -> Result<Launches> {
    let GroupNorm { x, groups, weight, bias, epsilon, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let channels = x.shape()[1];
    let channel_elements: usize = x.shape()[2..].iter().product();
    let group_elements = channels / groups * channel_elements;
    let elements = Rows::new([x, out], 0);
    let source = msl!("../../gpu/types.metal", "../../gpu/moments.metal", "group_norm.metal");
    let launch = Draft::new(op.name(), source, "group_norm", gpu)
        .read("X", x)
        .maybe("W", weight.as_ref(), x)
        .maybe("BIAS", bias.as_ref(), x)
        .write("OUT", out)
        .size("group_elements", group_elements)
        .size("channel_elements", channel_elements)
        .size("channels", channels)
        .size("groups", *groups)
        .last_step("weight_step", weight.as_ref().unwrap_or(x))
        .last_step("bias_step", bias.as_ref().unwrap_or(x))
        .float("epsilon", *epsilon)
        .rows("elements", &elements)
        .grid([x.shape()[0] * groups, 1, 1], [threads_for(gpu, group_elements), 1, 1])?;
    Ok(launch.into())
}
