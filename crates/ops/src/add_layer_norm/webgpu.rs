//! On WebGPU: the kernel of `layer_norm`, of a sum.

use super::AddLayerNorm;
use crate::layer_norm::webgpu::{Runs, kernel, norm};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &AddLayerNorm, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "add_layer_norm";
    let AddLayerNorm { x, y, weight, bias, epsilon, sum, out } = op;
    // What is stored may be one of the operands: each thread reads an element again before it
    // stores it, and nobody stores before all have read the first.
    let build = kernel(gpu)
        .read("x", x)
        .places(NAME, "place_x", x.shape(), x.strides())?
        .read("y", y)
        .places(NAME, "place_y", y.shape(), y.strides())?
        .write("sum", sum)
        .places(NAME, "place_sum", sum.shape(), sum.strides())?
        .also("fn value(i: u32) -> f32 { return load_x(place_x(i)) + load_y(place_y(i)); }\n")
        .also("fn keep(i: u32, x: f32) { store_sum(place_sum(i), x); }\n");
    norm(NAME, build, (Some(weight), bias.as_ref()), *epsilon, out, Runs::rows(out))
}
