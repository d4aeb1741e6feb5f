//! Dense weights: a few rows of activations stream them, many are a matrix product.

use super::{Layer, out::Out, streams};
use crate::matmul::{
    gemm::{Matrix, gemm},
    operand::Operand,
};
use bessemer_core::{
    DType,
    cpu::{CpuContext, Output},
};
use half::{bf16, f16};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most rows for which the weights are streamed.
const FEW: usize = 8;
/// Rows of activations, columns, and how much of the inner dimension are multiplied at once.
const ROWS: usize = 512;
const COLUMNS: usize = 256;
const DEPTH: usize = 512;

pub(super) fn linear(op: &Layer<'_>, cpu: &CpuContext<'_>) {
    let (rows, k, n) = op.sizes();
    if rows == 0 || n == 0 {
        return;
    }
    let out = Out::new(op, cpu);
    let x = cpu.scratch::<f32>(rows.min(ROWS) * k);
    let gapless = k == 1 || op.weight.strides()[1] == 1;
    for first in (0..rows).step_by(ROWS) {
        let count = ROWS.min(rows - first);
        let source = cpu.rows(op.x);
        let floats = Output::of(&mut *x);
        cpu.split(count, 16, |range| {
            for row in range {
                // SAFETY: each row belongs to one task.
                source.load(op.row(first + row), unsafe { floats.range(row * k..(row + 1) * k) });
            }
        });
        let x = &x[..count * k];
        if rows <= FEW && gapless && k > 0 {
            match op.weight.dtype() {
                DType::F16 => streams::linear::<f16>(op, cpu, x, &out),
                DType::BF16 => streams::linear::<bf16>(op, cpu, x, &out),
                _ => streams::linear::<f32>(op, cpu, x, &out),
            }
        } else {
            product(op, cpu, x, first, &out);
        }
    }
}

/// The rows of `x`, of which the first is row `first` of the op, times all weights.
fn product(op: &Layer<'_>, cpu: &CpuContext<'_>, x: &[f32], first: usize, out: &Out<'_>) {
    let (all, k, n) = op.sizes();
    let rows = ROWS.min(all - first);
    let (weights, isa) = (Operand::new(cpu, op.weight).transposed(), cpu.isa());
    let depth = if weights.is_f32() { k } else { DEPTH.min(k) };
    // Enough blocks for all threads, each of whole vectors.
    let columns = n.div_ceil(2 * cpu.threads()).next_multiple_of(16).min(COLUMNS);
    let blocks = n.div_ceil(columns);
    let workers = cpu.threads().min(blocks);
    let copies = if weights.is_f32() { 0 } else { columns * depth };
    let room = Output::of(cpu.scratch::<f32>(workers * (copies + rows * columns)));
    let next = AtomicUsize::new(0);
    cpu.run(workers, |worker| {
        let size = copies + rows * columns;
        // SAFETY: each worker has its own piece.
        let room = unsafe { room.range(worker * size..(worker + 1) * size) };
        let (copy, sums) = room.split_at_mut(copies);
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                break;
            }
            let right = block * columns..n.min((block + 1) * columns);
            let target = Matrix { first: sums.as_mut_ptr(), row: columns as isize, column: 1 };
            for start in (0..k.max(1)).step_by(depth.max(1)) {
                let inner = start..k.min(start + depth);
                let size = (rows, inner.len(), right.len());
                let from = x.as_ptr().wrapping_add(inner.start);
                let x = Matrix { first: from, row: k as isize, column: 1 };
                // SAFETY: blocks are within the matrices; the sums are this worker's.
                unsafe {
                    let weights = weights.block(isa, inner, right.clone(), copy);
                    gemm(size, x, weights, target, start > 0);
                }
            }
            for (row, sums) in sums.chunks(columns).enumerate() {
                // SAFETY: each block of columns belongs to one worker.
                unsafe { out.store(first + row, right.start, &sums[..right.len()]) };
            }
        }
    });
}
