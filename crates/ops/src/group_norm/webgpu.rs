//! On WebGPU: the kernel of `layer_norm`.

use super::GroupNorm;
use crate::layer_norm::webgpu::{Runs, norm, of};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &GroupNorm, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "group_norm";
    let channels = op.x.shape()[1];
    let size: usize = op.x.shape()[2..].iter().product();
    let runs = Runs { width: channels / op.groups * size, channels, size };
    let affine = (op.weight.as_ref(), op.bias.as_ref());
    norm(NAME, of(NAME, gpu, &op.x)?, affine, op.epsilon, &op.out, runs)
}
