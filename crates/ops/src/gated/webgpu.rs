//! On WebGPU: a program.

use super::{Activation, Gated};
use crate::Map;
use bessemer_core::{
    Error, Operation, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Builder, Direction, Program, Unary, wgsl::MATHS};

pub(super) fn launches(op: &Gated, gpu: &GpuTraits) -> Result<Launches> {
    let program = program(op).map_err(|error| Error::view(error.to_string()))?;
    let inputs = vec![(&op.gate).into(), (&op.up).into()];
    Map { program, inputs, outputs: vec![op.out.clone()] }.webgpu(gpu)
}

fn program(op: &Gated) -> bessemer_program::Result<Program> {
    let mut b = Builder::new("gated");
    let gate = b.view("gate", op.gate.dtype(), Direction::In);
    let up = b.view("up", op.up.dtype(), Direction::In);
    let out = b.view("out", op.out.dtype(), Direction::Out);
    let (gate, up) = (b.load(gate), b.load(up));
    let active = match op.activation {
        Activation::Silu => b.unary(Unary::Silu, gate),
        Activation::Gelu => b.unary(Unary::Gelu, gate),
        Activation::GeluTanh => b.unary(Unary::GeluTanh, gate),
        Activation::Sigmoid => b.unary(Unary::Sigmoid, gate),
        Activation::Tanh => b.unary(Unary::Tanh, gate),
        Activation::SquaredRelu => {
            let above = b.max(gate, 0.0f32);
            b.mul(above, above)
        }
    };
    let value = b.mul(active, up);
    b.store(out, value);
    b.finish()
}

/// The name of the activation in [`wgsl_maths`].
pub(crate) fn wgsl_name(activation: Activation) -> &'static str {
    match activation {
        Activation::Silu => "silu_f32",
        Activation::Gelu => "gelu_f32",
        Activation::GeluTanh => "gelu_tanh_f32",
        Activation::Sigmoid => "sigmoid_f32",
        Activation::Tanh => "tanh_f32",
        Activation::SquaredRelu => "squared_relu_f32",
    }
}

/// All activations, as functions.
pub(crate) fn wgsl_maths() -> String {
    let squared_relu =
        "fn squared_relu_f32(x: f32) -> f32 { return select(x * x, 0.0, x < 0.0); }\n";
    format!("{MATHS}{squared_relu}")
}
