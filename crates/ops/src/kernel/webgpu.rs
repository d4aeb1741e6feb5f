//! On WebGPU: the grid as it is.

use super::Kernel;
use crate::wgsl;
use bessemer_core::{
    Result, Shape,
    gpu::{self, GpuTraits, Launch, Launches, Source},
};
use bessemer_program::wgsl::{kernel, kernel_slots};

pub(super) fn launches(op: &Kernel, gpu: &GpuTraits) -> Result<Launches> {
    let nothing = wgsl::merged(&Shape::SCALAR, &[], &[]);
    let slots = kernel_slots(&op.program);
    let operands = (&op.inputs[..], &op.outputs[..]);
    let params = wgsl::fill(gpu, "kernel", &op.program, operands, &nothing, &slots, &|_| Ok(0))?;
    let name = format!("program {}", op.program.name());
    let text = kernel(&op.program, op.launch.block);
    let source = Source::Made { name: name.into(), text: text.into() };
    Ok(Launch {
        kernel: gpu::Kernel::new(source, "main"),
        bindings: wgsl::bindings(&op.program, &op.inputs, &op.outputs),
        params,
        groups: op.launch.grid,
        threads: op.launch.block,
    }
    .into())
}
