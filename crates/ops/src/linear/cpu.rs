//! On the CPU: which code runs which weights.

use super::{Layer, blocks, dense};
use bessemer_core::cpu::CpuContext;

pub(crate) fn linear(op: &Layer<'_>, cpu: &CpuContext<'_>) {
    if op.weight.dtype().is_block() {
        blocks::linear(op, cpu);
    } else {
        dense::linear(op, cpu);
    }
}
