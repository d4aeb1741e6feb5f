//! On the CPU: dispatch to the kernel for each kind of weights.

mod blocks;
mod dense;
mod out;
mod streams;
mod tiles;
mod together;

use super::{Layer, Linear};
use bessemer_core::cpu::CpuContext;
use std::slice;

/// One layer.
pub(crate) fn linear(layer: &Layer<'_>, cpu: &CpuContext<'_>) {
    linears(slice::from_ref(layer), cpu);
}

/// Several layers, with as few waits in between as can be.
pub(super) fn linears(layers: &[Layer<'_>], cpu: &CpuContext<'_>) {
    let (few, others): (Vec<_>, Vec<_>) = layers.iter().partition(|layer| together::fits(layer));
    if !few.is_empty() {
        cpu.scoped(|cpu| together::linears(&few, cpu));
    }
    for layer in others {
        cpu.scoped(|cpu| {
            if layer.weight.dtype().is_block() {
                blocks::linear(layer, cpu);
            } else {
                dense::linear(layer, cpu);
            }
        });
    }
}
