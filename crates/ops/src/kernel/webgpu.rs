//! On WebGPU: the grid as it is.

use super::Kernel;
use crate::wgsl;
use bessemer_core::{
    DeviceKind, Error, Result, Shape,
    gpu::{self, GpuTraits, Launch, Launches, Source},
};
use bessemer_program::wgsl::{kernel, kernel_slots, shareable};

pub(super) fn launches(op: &Kernel, gpu: &GpuTraits) -> Result<Launches> {
    let nothing = wgsl::merged(&Shape::SCALAR, &[], &[]);
    let slots = kernel_slots(&op.program);
    let shared = wgsl::Shared::new(gpu, wgsl::bindings(&op.program, &op.inputs, &op.outputs))?;
    let sharing = shared.sharing();
    if !shareable(&op.program, &sharing) {
        let why = "two of its buffers lie in the same memory, and atomic instructions take one as \
                   signed and one as unsigned; put them in buffers of their own, or use `cpu`";
        return Err(Error::NoKernel { op: "kernel", device: DeviceKind::WebGpu, why });
    }
    let operands = (&op.inputs[..], &op.outputs[..], &shared);
    let params = wgsl::fill(gpu, "kernel", &op.program, operands, &nothing, &slots, &|_| Ok(0))?;
    let name = format!("program {}", op.program.name());
    let text = kernel(&op.program, op.launch.block, &sharing);
    let source = Source::Made { name: name.into(), text: text.into() };
    Ok(Launch {
        kernel: gpu::Kernel::new(source, "main"),
        bindings: shared.bindings,
        params,
        groups: op.launch.grid,
        threads: op.launch.block,
    }
    .into())
}
