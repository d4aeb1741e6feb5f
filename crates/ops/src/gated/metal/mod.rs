//! On Metal: a thread per element.

use super::{Activation, Gated};
use crate::gpu::{Draft, Rows, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

/// The name of the activation in `activation.metal`.
pub(crate) fn msl_name(activation: Activation) -> &'static str {
    match activation {
        Activation::Silu => "silu",
        Activation::Gelu => "gelu",
        Activation::GeluTanh => "gelu_tanh",
        Activation::Sigmoid => "sigmoid",
        Activation::Tanh => "tanh_of",
        Activation::SquaredRelu => "squared_relu",
    }
}

/// Its number there, 0 for none.
pub(crate) fn msl_number(activation: Option<Activation>) -> usize {
    activation.map_or(0, |activation| 1 + activation as usize)
}

pub(super) fn gated(op: &Gated, gpu: &GpuTraits) -> Result<Launches> {
    let Gated { gate, up, activation, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (width, rows) = (out.shape().width(), Rows::new([gate, up, out], 1));
    let source = msl!("../../gpu/types.metal", "../../gpu/activation.metal", "gated.metal");
    let launch = Draft::new(op.name(), source, "gated", gpu)
        .read("GATE", gate)
        .read("UP", up)
        .write("OUT", out)
        .define("ACTIVATION", msl_name(*activation))
        .size("width", width)
        .last_step("gate_step", gate)
        .last_step("up_step", up)
        .last_step("out_step", out)
        .rows("rows", &rows)
        .over([width, rows.count(), 1])?;
    Ok(launch.into())
}
