//! On the CPU: a row at a time, in `f32`.

use super::AddLayerNorm;
use crate::{
    add_rms_norm::sum_and_norm,
    layer_norm::{NormRow, affine},
};
use bessemer_core::cpu::CpuContext;

pub(super) fn add_layer_norm(op: &AddLayerNorm, cpu: &CpuContext<'_>) {
    let AddLayerNorm { x, y, weight, bias, epsilon, sum, out } = op;
    let (weight, bias) = affine(cpu, x.shape().width(), Some(weight), bias.as_ref());
    let isa = cpu.isa();
    sum_and_norm(cpu, [x, y], [sum, out], |row| {
        isa.run(NormRow { row, weight, bias, epsilon: *epsilon });
    });
}
