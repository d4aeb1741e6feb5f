//! Kernel on Metal: the program with its own launch configuration.

use super::Kernel;
use crate::walk;
use bessemer_core::{
    Result, Shape,
    gpu::{GpuTraits, Kernel as Compiled, Launch, Launches},
};
use bessemer_program::msl;

pub(super) fn launches(op: &Kernel, gpu: &GpuTraits) -> Result<Launches> {
    let operands = (&op.inputs[..], &op.outputs[..]);
    let bound = walk::BoundProgram::new("kernel", &op.program, operands, &Shape::SCALAR, &[], &[])?;
    let dialect = walk::dialect(gpu);
    let key = format!("kernel {dialect:?}");
    let source = walk::source(&op.program, &key, || msl::kernel(&op.program, dialect));
    let threads = op.launch.threads();
    let kernel = Compiled::new(source, "run").define("THREADS", threads.to_string());
    Ok(Launch {
        params: bound.members.uint("end", 0).finish(&kernel, bound.bindings.len()),
        kernel,
        bindings: bound.bindings,
        groups: op.launch.grid,
        threads: op.launch.block,
    }
    .into())
}
