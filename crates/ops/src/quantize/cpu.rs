//! On the CPU: pieces that stay in the first-level cache, each encoded or decoded by one thread.

use crate::copy::cpu::in_runs;
use bessemer_core::{Layout, View, cpu::CpuContext};

/// Longer rows than this are cut: a multiple of every block.
const RUN: usize = 2048;

pub(super) fn convert(x: &View, out: &View, cpu: &CpuContext<'_>) {
    if out.elements() == 0 {
        return;
    }
    // Not in another order: rows of blocks stay rows.
    let layout = Layout::new(out.shape(), [out.strides(), x.strides()]);
    in_runs(x, out, &layout, RUN, |x, out| {
        let rows = cpu.rows(x);
        let grain = RUN / rows.width().max(1) + 1;
        cpu.for_each_row_with(out, grain, rows.width(), |i, row, buffer| {
            row.copy(&rows, i, buffer);
        });
    });
}
