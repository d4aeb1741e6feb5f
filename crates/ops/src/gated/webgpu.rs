//! On WebGPU: a program.

use super::{Activation, Gated};
use crate::Map;
use bessemer_core::{
    Error, Operation, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Builder, Direction, Program, Unary};

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
    let active = b.unary(
        match op.activation {
            Activation::Silu => Unary::Silu,
            Activation::Gelu => Unary::Gelu,
            Activation::GeluTanh => Unary::GeluTanh,
        },
        gate,
    );
    let value = b.mul(active, up);
    b.store(out, value);
    b.finish()
}
