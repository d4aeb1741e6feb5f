//! On the CPU: boxes of the domain, shared among threads.

use super::Map;
use crate::bind;
use bessemer_core::cpu::CpuContext;
use bessemer_program::cpu::Domain;

/// Elements that are worth another thread, if each takes one instruction.
const GRAIN: usize = 32 << 10;

pub(super) fn map(op: &Map, cpu: &CpuContext<'_>) {
    let shape = op.outputs[0].shape();
    let elements = shape.elements();
    if elements == 0 {
        return;
    }
    let bindings = bind::bindings(&op.program, &op.inputs, &op.outputs, shape);
    let domain = Domain::new(&op.program, cpu.isa(), shape, &bindings, &[], &[]);
    let boxes = domain.boxes();
    let instructions = op.program.flops().clamp(1, 64) as usize;
    let grain = (boxes * (GRAIN / instructions)).div_ceil(elements);
    cpu.split(boxes, grain, |range| {
        // SAFETY: the views are those of `access`, which this context keeps for us alone; each
        // element of an output is in one box.
        if let Err(why) = unsafe { domain.run(range) } {
            bind::fail(why);
        }
    });
}
