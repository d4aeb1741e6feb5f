//! On the CPU: a row at a time, moved or encoded straight to its place.

use super::Scatter;
use crate::indices::{self, OUTSIDE};
use bessemer_core::cpu::CpuContext;

pub(super) fn scatter(op: &Scatter, cpu: &CpuContext<'_>) {
    let shape = op.table.shape();
    let (last, len) = (shape.rank() - 1, shape[op.axis]);
    let (x, table) = (cpu.rows(&op.x), cpu.out_rows(&op.table));
    let indices = indices::load(cpu, &op.indices, len);
    if op.x.elements() == 0 {
        return;
    }
    if op.axis == last {
        cpu.for_each_row(&op.table, 2048 / indices.len() + 1, |row, out| {
            out.spread(&x, row, indices);
        });
        return;
    }
    // Each task has its own part of the table and goes through the indices in order, so that of
    // equal ones the last wins.
    let inner: usize = shape[op.axis + 1..last].iter().product();
    let outer: usize = shape[..op.axis].iter().product();
    let lists = outer * inner;
    let shares = if lists < 2 * cpu.threads() { cpu.threads().min(indices.len()) } else { 1 };
    let width = table.width();
    let grain = 8192 * shares / (width * indices.len()) + 1;
    let decoded = if op.x.dtype().is_block() || op.table.dtype().is_block() { width } else { 0 };
    cpu.split_with(lists * shares, grain, decoded, |tasks, buffer| {
        for task in tasks {
            let (list, share) = (task / shares, task % shares);
            let (part, row) = (list / inner, list % inner);
            for (i, &index) in indices.iter().enumerate() {
                if index == OUTSIDE || index as usize * shares / len != share {
                    continue;
                }
                let to = (part * len + index as usize) * inner + row;
                // SAFETY: rows of this list and share are written by this task only.
                let out = unsafe { table.row(to) };
                out.copy(&x, (part * indices.len() + i) * inner + row, buffer);
            }
        }
    });
}
