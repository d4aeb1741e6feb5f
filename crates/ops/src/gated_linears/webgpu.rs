//! On WebGPU: one launch for a few rows, unless the adapter can't bind all at once.

use super::GatedLinears;
use crate::linear::webgpu::gated;
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn gated_linears(op: &GatedLinears, gpu: &GpuTraits) -> Result<Launches> {
    let GatedLinears { gate, up, activation, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    match gated([gate, up], *activation, out, gpu)? {
        Some(launch) => Ok(launch.into()),
        None => Ok(op.layers().webgpu(gpu)?.then(op.gated().webgpu(gpu)?)),
    }
}
