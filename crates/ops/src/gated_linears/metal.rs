//! On Metal: one launch for few rows; the layers and the gate one after the other for many.

use super::GatedLinears;
use crate::linear::metal::{FEW, gated};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn gated_linears(op: &GatedLinears, gpu: &GpuTraits) -> Result<Launches> {
    let GatedLinears { gate, up, activation, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    if gate.x.shape().rows() > FEW {
        return Ok(op.layers().metal(gpu)?.then(op.gated().metal(gpu)?));
    }
    Ok(gated(op.name(), [gate, up], *activation, out, gpu)?.into())
}
