//! On Metal: one launch, unless the dtypes or layouts of the weights differ too much.

use super::GatedLinears;
use crate::linear::metal::gated;
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn gated_linears(op: &GatedLinears, gpu: &GpuTraits) -> Result<Launches> {
    let GatedLinears { gate, up, activation, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    match gated(op.name(), [gate, up], *activation, out, gpu)? {
        Some(launch) => Ok(launch.into()),
        None => Ok(op.layers().metal(gpu)?.then(op.gated().metal(gpu)?)),
    }
}
