//! On the CPU: which code runs which weights.

use super::{Linear, blocks, dense};
use bessemer_core::cpu::CpuContext;

pub(super) fn linear(op: &Linear, cpu: &CpuContext<'_>) {
    if op.weight.dtype().is_block() {
        blocks::linear(op, cpu);
    } else {
        dense::linear(op, cpu);
    }
}
