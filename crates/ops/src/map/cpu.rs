//! On the CPU: boxes of the domain, shared among threads.

use super::Map;
use crate::bind;
use bessemer_core::cpu::CpuContext;
use bessemer_program::cpu::Domain;

/// Instructions, one per element, that are worth another thread if it is awake.
const LEAST: usize = 32 << 10;
/// Those that are worth waking it.
const WAKE: usize = 64 << 10;
/// Pieces for each thread: what it did last is what it begins with the next time, and should then
/// be in its nearest cache.
const PIECES: usize = 16;

pub(super) fn map(op: &Map, cpu: &CpuContext<'_>) {
    let shape = op.outputs[0].shape();
    let elements = shape.elements();
    if elements == 0 {
        return;
    }
    let bindings = bind::bindings(&op.program, &op.inputs, &op.outputs, shape);
    let domain = Domain::new(&op.program, cpu.isa(), shape, &bindings, &[], &[]);
    let domain = domain.until(cpu.deadline());
    let boxes = domain.boxes();
    let instructions = elements.saturating_mul(op.program.flops().clamp(1, 64) as usize);
    let pieces = match cpu.threads() {
        1 => 1,
        _ if instructions < LEAST => 1,
        threads => boxes.min(threads * PIECES),
    };
    cpu.share(pieces, instructions >= WAKE, |piece| {
        let range = boxes * piece / pieces..boxes * (piece + 1) / pieces;
        // SAFETY: the views are those of `access`, which this context keeps for us alone; each
        // element of an output is in one box.
        if let Err(why) = unsafe { domain.run(range) } {
            bind::fail(why);
        }
    });
}
