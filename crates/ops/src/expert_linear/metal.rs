//! On Metal: each expert of each row as a linear layer of one row.

use super::ExpertLinear;
use crate::{
    gpu::{Draft, msl},
    linear::metal::{FEW_THREADS, OUTPUTS, outputs_per_group, row_step},
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn expert_linear(op: &ExpertLinear, gpu: &GpuTraits) -> Result<Launches> {
    let ExpertLinear { weight, ids, out, .. } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let x = &op.inputs()?;
    let (experts, outputs, k) = (weight.shape()[0], weight.shape()[1], weight.shape()[2]);
    let source = msl!(
        "../gpu/types.metal",
        "../gpu/blocks.metal",
        "../gpu/runs.metal",
        "../linear/dots.metal",
        "expert_linear.metal"
    );
    let launch = Draft::new(op.name(), source, "expert_linear", gpu)
        .define("ROWS", "1")
        .define("OUTPUTS", OUTPUTS.to_string())
        .read("X", x)
        .read("W", weight)
        .read_another(ids)
        .write("OUT", out)
        .size(experts)
        .size(ids.shape()[1])
        .size(k)
        .size(outputs)
        .step_of(x, 0)
        .step_of(x, 1)
        .last_step(x)
        .step(row_step(weight, 0))
        .step(row_step(weight, 1))
        .last_step(weight)
        .step_of(ids, 0)
        .step_of(ids, 1)
        .step_of(out, 0)
        .step_of(out, 1)
        .last_step(out)
        .grid([outputs.div_ceil(outputs_per_group(gpu)), ids.elements(), 1], [FEW_THREADS, 1, 1])?;
    Ok(launch.into())
}
