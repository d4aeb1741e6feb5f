//! On the CPU: a row at a time, moved or decoded straight to its place.

use super::Gather;
use crate::indices::{self, OUTSIDE};
use bessemer_core::{DType, cpu::CpuContext};

pub(super) fn gather(op: &Gather, cpu: &CpuContext<'_>) {
    if op.out.elements() == 0 {
        return;
    }
    let shape = op.table.shape();
    let last = shape.rank() - 1;
    let table = cpu.rows(&op.table);
    let indices = indices::load(cpu, &op.indices, shape[op.axis]);
    let number = op.out.dtype().is_integer() || op.out.dtype() == DType::Bool;
    let outside = if number { 0.0 } else { f32::NAN };
    if op.axis == last {
        // One index has no dimension of its own, so that `out` lacks one.
        let single = op.indices.shape().rank() == 0;
        let out = if single { op.out.unsqueeze(last) } else { Ok(op.out.clone()) };
        let out = out.expect("it has a dimension less than the table");
        let width = out.shape().width().max(1);
        let runs = (indices.len() / width).max(1);
        cpu.for_each_row(&out, 2048 / width + 1, |row, out| {
            let picked = &indices[row % runs * width..][..width.min(indices.len())];
            out.pick(&table, row / runs, picked, outside);
        });
        return;
    }
    let width = table.width();
    let inner: usize = shape[op.axis + 1..last].iter().product();
    let decoded = if op.table.dtype().is_block() { width } else { 0 };
    cpu.for_each_row_with(&op.out, 8192 / width.max(1) + 1, decoded, |row, out, buffer| {
        let (part, row) = (row / inner, row % inner);
        let (part, index) = (part / indices.len(), indices[part % indices.len()]);
        if index == OUTSIDE {
            out.fill(outside);
        } else {
            let part = part * shape[op.axis] + index as usize;
            out.copy(&table, part * inner + row, buffer);
        }
    });
}
