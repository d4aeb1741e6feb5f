//! On the CPU: dispatch to the kernel for each kind of weights.

mod blocks;
mod dense;
mod fetch;
mod out;
mod streams;
mod tiles;

use super::{Layer, Linear};
use bessemer_core::cpu::CpuContext;
use std::slice;

/// One layer.
pub(crate) fn linear(layer: &Layer<'_>, cpu: &CpuContext<'_>) {
    linears(slice::from_ref(layer), cpu);
}

/// Layers of the same activations.
pub(super) fn linears(layers: &[Layer<'_>], cpu: &CpuContext<'_>) {
    if layers.iter().all(|layer| layer.weight.dtype().is_block()) {
        return blocks::linears(layers, cpu);
    }
    for layer in layers {
        cpu.scoped(|cpu| {
            if layer.weight.dtype().is_block() {
                blocks::linears(slice::from_ref(layer), cpu);
            } else {
                dense::linear(layer, cpu);
            }
        });
    }
}
