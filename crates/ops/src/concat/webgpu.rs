//! On WebGPU: one copy after another.

use super::Concat;
use crate::copy;
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &Concat, gpu: &GpuTraits) -> Result<Launches> {
    let mut all = Launches::default();
    for (input, part) in op.parts() {
        if part.elements() > 0 {
            all.launches.extend(copy::webgpu::launches(input, &part, gpu)?.launches);
        }
    }
    Ok(all)
}
