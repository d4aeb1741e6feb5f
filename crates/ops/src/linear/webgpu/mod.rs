//! On WebGPU: one row, or a few, by sums along the weights, many by tiles; software adapters
//! have their own kernels. Weights that are too large for one binding are processed in parts, and
//! layers whose weights can be bound together share one launch.

mod columns;
mod lanes;
mod layers;
mod sums;
mod tiles;

pub(crate) use columns::{Column, Columns, Put};
pub(crate) use sums::{ends, sum_threads, sums};
pub(crate) use tiles::{tile, tile_groups};

use super::{Linear, several::Activated};
use crate::{Activation, wgsl::has_lanes};
use bessemer_core::{
    DType, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};
use layers::{Layers, Part};

/// The most rows that are summed at once.
const FEW: usize = 8;

/// Whether all columns of a few outputs are summed at once, not tiles.
fn by_columns(gpu: &GpuTraits, rows: usize) -> bool {
    has_lanes(gpu) || rows <= FEW
}

/// All of `linears`, which have the same number of rows.
pub(super) fn launches(linears: &[Activated<'_>], gpu: &GpuTraits) -> Result<Launches> {
    let mut all = Launches::default();
    let mut parts: Vec<Part> = Vec::new();
    for &(linear, activation) in linears.iter().filter(|(linear, _)| linear.out.elements() > 0) {
        parts.extend(Part::all(linear, activation, gpu)?);
    }
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        let (launch, count) = match by_columns(gpu, first.x.shape().rows()) {
            true => {
                let here = &rest[..Layers::fitting(rest, gpu)];
                (Layers::beside(here)?.launch(gpu)?, here.len())
            }
            false => (tiles::launch(first, gpu)?, 1),
        };
        all.launches.push(launch);
        rest = &rest[count..];
    }
    Ok(all)
}

/// A gate and what passes through it, in one launch, with neither result in memory; none if they can't
/// be bound together, or if their results are to be rounded.
pub(crate) fn gated(
    [gate, up]: [&Linear; 2],
    activation: Activation,
    out: &View,
    gpu: &GpuTraits,
) -> Result<Option<Launch>> {
    let exact = [gate, up].iter().all(|layer| layer.out.dtype() == DType::F32);
    if !exact || !by_columns(gpu, out.shape().rows()) {
        return Ok(None);
    }
    let parts = [Part::all(gate, None, gpu)?, Part::all(up, None, gpu)?].concat();
    // x, the result, two of weights and perhaps biases.
    let buffers = 4 + parts.iter().map(Part::biases).sum::<usize>();
    if parts.len() != 2 || buffers > gpu.max_buffers as usize {
        return Ok(None);
    }
    Layers::gated(&parts, activation, out).launch(gpu).map(Some)
}
