//! Dense weights: a few rows of activations stream them, some share them, many are a matrix product.

use super::{
    Layer, Linear, blocks,
    out::Out,
    streams::{self, Weight},
    tiles, together,
};
use crate::matmul::cpu::{
    gemm::{Matrix, gemm},
    operand::Operand,
};
use bessemer_core::{
    DType,
    cpu::{CpuContext, Output},
};
use half::{bf16, f16};
use std::ops::Range;

/// The most rows for which the weights are streamed, and for which tiles of sums are in registers.
/// More are the library's job: it copies both sides first, which takes its time, and then it is
/// fastest. Apple's has units of its own to multiply matrices with.
const FEW: usize = if cfg!(target_os = "macos") { streams::MOST } else { Linear::ALIKE };
const SOME: usize = if cfg!(target_os = "macos") { FEW } else { 128 };
/// The most rows that are always multiplied in floats: short prompts lose nothing.
const EXACT: usize = 32;
/// Rows of activations that are multiplied at once.
const ROWS: usize = 512;
/// Weights that are taken at once: as `f32` they stay in the caches of most machines.
const WEIGHTS: usize = 1 << 20;
/// Rows and columns that the library takes at once, on the widest machines.
const TILE: (usize, usize) = (6, 64);

pub(super) fn linear(op: &Layer<'_>, cpu: &CpuContext<'_>) {
    let (rows, k, n) = op.sizes();
    if rows == 0 || n == 0 {
        return;
    }
    let out = Out::new(op, cpu);
    let gapless = k == 1 || op.weight.strides()[1] == 1;
    if rows > EXACT && !cpu.precise() && gapless && blocks::dense(op, cpu) {
        return;
    }
    for first in (0..rows).step_by(ROWS) {
        let part = first..rows.min(first + ROWS);
        cpu.scoped(|cpu| {
            if rows > SOME || !gapless || k == 0 {
                return product(op, cpu, part, &out);
            }
            match op.weight.dtype() {
                DType::F16 => by_size::<f16>(op, cpu, part, &out),
                DType::BF16 => by_size::<bf16>(op, cpu, part, &out),
                _ => by_size::<f32>(op, cpu, part, &out),
            }
        });
    }
}

fn by_size<W: Weight>(op: &Layer<'_>, cpu: &CpuContext<'_>, part: Range<usize>, out: &Out<'_>) {
    if part.len() > FEW {
        tiles::linear::<W>(op, cpu, part, out);
    } else {
        together::compute(&[Box::new(streams::Columns::<W>::new(op, cpu))], cpu);
    }
}

/// The left matrix of the product: some rows of the activations, where they are if they can be.
fn left(op: &Layer<'_>, cpu: &CpuContext<'_>, rows: Range<usize>) -> Matrix<*const f32> {
    let k = op.x.shape().width();
    if op.x.dtype() == DType::F32 && op.x.shape().rank() == 2 && op.rows.is_none() {
        let x = Operand::new(cpu, op.x);
        // SAFETY: all rows are there, and it takes no room.
        return unsafe { x.block(cpu.isa(), rows, 0..k, &mut []) };
    }
    Matrix { first: tiles::load(op, cpu, rows, k).as_ptr(), row: k as isize, column: 1 }
}

/// Some rows times all weights: a block of these is laid out by all threads, and then each has some
/// of the rows.
fn product(op: &Layer<'_>, cpu: &CpuContext<'_>, part: Range<usize>, out: &Out<'_>) {
    let ((_, k, n), rows) = (op.sizes(), part.len());
    let x = left(op, cpu, part.clone());
    let weights = Operand::new(cpu, op.weight).transposed();
    let columns = (WEIGHTS / k.max(1)).next_multiple_of(TILE.1).min(n);
    let tiles = rows.div_ceil(TILE.0);
    let workers = cpu.threads().min(tiles);
    for first in (0..n).step_by(columns) {
        let right = first..n.min(first + columns);
        cpu.scoped(|cpu| {
            // SAFETY: the columns are there.
            let weights = unsafe { weights.as_right(cpu, 0..k, right.clone()) };
            let there = out.block(part.start, first);
            let room = if there.is_some() { 0 } else { rows * right.len() };
            let sums = Output::of(cpu.scratch::<f32>(room));
            let at = Matrix { first: sums.as_ptr(), row: right.len() as isize, column: 1 };
            let target = there.unwrap_or(at);
            cpu.run(workers, |worker| {
                let start = (tiles * worker / workers * TILE.0).min(rows);
                let end = (tiles * (worker + 1) / workers * TILE.0).min(rows);
                let size = (end - start, k, right.len());
                // SAFETY: the rows are there, and each belongs to one worker.
                unsafe { gemm(size, x.below(start), weights, target.below(start), false) };
            });
            if there.is_some() {
                return;
            }
            cpu.split(rows, 16, |part_of_rows| {
                for row in part_of_rows {
                    let len = right.len();
                    // SAFETY: all sums are there by now, and each row belongs to one task.
                    unsafe {
                        let sums = sums.range(row * len..(row + 1) * len);
                        out.store(part.start + row, first, sums);
                    }
                }
            });
        });
    }
}
