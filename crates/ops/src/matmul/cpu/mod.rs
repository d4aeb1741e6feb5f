//! On the CPU: products are split into blocks; a GEMM library computes each.

mod direct;
pub(crate) mod gemm;
pub(crate) mod operand;
#[cfg(target_arch = "x86_64")]
pub(crate) mod turn512;

use super::{Dot, Matmul};
use bessemer_core::{
    DType, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Kernel, convert};
use gemm::{Matrix, gemm};
use operand::Operand;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most rows and columns of a block, and how much of the inner dimension is taken at once,
/// where operands have to be copied first.
const SIDE: usize = 256;
const DEPTH: usize = 512;

pub(super) fn matmul(op: &Matmul, cpu: &CpuContext<'_>) {
    if op.out.elements() == 0 {
        return;
    }
    if !op.out.dtype().fits_f32() {
        return direct::matmul(op, cpu);
    }
    let (m, k, n) = op.sizes();
    let batches = op.out.elements() / (m * n);
    let in_place = [&op.a, &op.b].iter().all(|view| view.dtype() == DType::F32);
    let (rows, columns) = if in_place {
        even_blocks(m, n, batches, cpu.threads())
    } else {
        (m.min(SIDE), n.min(SIDE))
    };
    let depth = if in_place { k } else { k.min(DEPTH) };
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let tasks = batches * down * across;
    let workers = cpu.threads().min(tasks);
    let copies = if in_place { 0 } else { (rows + columns) * depth };
    let sums = if op.out.dtype() == DType::F32 { 0 } else { rows * columns };
    let room = Output::of(cpu.scratch::<f32>(workers * (copies + sums)));
    let out = OutMatrix::new(op, cpu);
    let (a, b, isa) = (Operand::new(cpu, &op.a), Operand::new(cpu, &op.b), cpu.isa());
    let next = AtomicUsize::new(0);
    cpu.run(workers, |worker| {
        let size = copies + sums;
        // SAFETY: each worker has its own piece.
        let room = unsafe { room.range(worker * size..(worker + 1) * size) };
        let (copies, sums) = room.split_at_mut(copies);
        let (copy_a, copy_b) = copies.split_at_mut(copies.len() / (rows + columns).max(1) * rows);
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            let (batch, block) = (task / (down * across), task % (down * across));
            let (i, j) = (block / across * rows, block % across * columns);
            let (down, right) = (i..m.min(i + rows), j..n.min(j + columns));
            let a = a.shifted(batch_start(&op.a, &op.out, batch));
            let b = b.shifted(batch_start(&op.b, &op.out, batch));
            let target = if sums.is_empty() {
                out.block(batch, i, j)
            } else {
                Matrix { first: sums.as_mut_ptr(), row: columns as isize, column: 1 }
            };
            for first in (0..k.max(1)).step_by(depth.max(1)) {
                let inner = first..k.min(first + depth);
                let size = (down.len(), inner.len(), right.len());
                // SAFETY: blocks are within the matrices, and each block of the output belongs to
                // one task.
                unsafe {
                    let a = a.block(isa, down.clone(), inner.clone(), copy_a);
                    let b = b.block(isa, inner, right.clone(), copy_b);
                    gemm(size, a, b, target, first > 0);
                }
            }
            if !sums.is_empty() {
                for (row, sums) in down.zip(sums.chunks(columns)) {
                    // SAFETY: each block of the output belongs to one task.
                    unsafe { out.store(batch, row, j, &sums[..right.len()]) };
                }
            }
        }
    });
}

/// Rows and columns of blocks that are large, and enough for all threads.
fn even_blocks(m: usize, n: usize, batches: usize, threads: usize) -> (usize, usize) {
    let (mut rows, mut columns) = (m, n);
    while batches * m.div_ceil(rows) * n.div_ceil(columns) < threads && rows.max(columns) >= 32 {
        let side = if columns >= rows { &mut columns } else { &mut rows };
        *side = side.div_ceil(2).next_multiple_of(8);
    }
    (rows, columns)
}

/// Where matrix `batch` of the result has its operand, in elements from the first of `view`.
fn batch_start(view: &View, out: &View, batch: usize) -> isize {
    let (mut rest, mut start) = (batch, 0);
    let (leading, added) = (out.shape().rank() - 2, out.shape().rank() - view.shape().rank());
    for axis in (0..leading).rev() {
        let index = rest % out.shape()[axis];
        rest /= out.shape()[axis];
        if axis >= added && view.shape()[axis - added] > 1 {
            start += index as isize * view.strides()[axis - added];
        }
    }
    start
}

/// The matrices of the output.
struct OutMatrix<'a> {
    view: &'a View,
    /// Elements of two or four bytes.
    wide: Option<Output<'a, f32>>,
    halves: Option<Output<'a, half::f16>>,
    first: usize,
}

impl<'a> OutMatrix<'a> {
    fn new(op: &'a Matmul, cpu: &'a CpuContext<'_>) -> OutMatrix<'a> {
        let view = &op.out;
        let is_f32 = view.dtype() == DType::F32;
        OutMatrix {
            view,
            wide: is_f32.then(|| cpu.output(view)),
            halves: (!is_f32).then(|| cpu.output(view)),
            first: (view.offset() - view.range().start) / view.dtype().block_bytes(),
        }
    }

    fn steps(&self) -> (isize, isize) {
        let rank = self.view.shape().rank();
        (self.view.strides()[rank - 2], self.view.strides()[rank - 1])
    }

    fn place(&self, batch: usize, row: usize, column: usize) -> usize {
        let (down, right) = self.steps();
        let start = batch_start(self.view, self.view, batch);
        let at = start + row as isize * down + column as isize * right;
        self.first.wrapping_add_signed(at)
    }

    /// Where a block of an `f32` output lies.
    fn block(&self, batch: usize, row: usize, column: usize) -> Matrix<*mut f32> {
        let (down, right) = self.steps();
        let first = self.wide.as_ref().expect("an output of f32").as_ptr();
        Matrix {
            first: first.wrapping_add(self.place(batch, row, column)),
            row: down,
            column: right,
        }
    }

    /// Writes part of a row of an output of halves.
    ///
    /// # Safety
    /// Nobody else may write to these elements meanwhile.
    unsafe fn store(&self, batch: usize, row: usize, column: usize, values: &[f32]) {
        let out = self.halves.as_ref().expect("an output of halves");
        let (start, (_, step)) = (self.place(batch, row, column), self.steps());
        for (i, &value) in values.iter().enumerate() {
            let bits = match self.view.dtype() {
                DType::F16 => convert::f16_bits_from_f32(value),
                _ => convert::bf16_bits_from_f32(value),
            };
            let at = start.wrapping_add_signed(i as isize * step);
            // SAFETY: as the caller promises.
            unsafe { out.range(at..at + 1) }.fill(half::f16::from_bits(bits));
        }
    }
}

pub(super) fn dot(op: &Dot, cpu: &CpuContext<'_>) {
    let len = op.a.elements();
    let (a, b) = (cpu.scratch::<f32>(len), cpu.scratch::<f32>(len));
    if len > 0 {
        cpu.rows(&op.a).load(0, a);
        cpu.rows(&op.b).load(0, b);
    }
    let (a, b, isa) = (&*a, &*b, cpu.isa());
    let pieces = len.div_ceil(PIECE);
    let sums = Output::of(cpu.scratch::<f32>(pieces));
    cpu.split(pieces, 8, |range| {
        for i in range {
            let part = i * PIECE..len.min((i + 1) * PIECE);
            // SAFETY: each sum belongs to one task.
            unsafe { sums.range(i..i + 1) }.fill(isa.run(Products(&a[part.clone()], &b[part])));
        }
    });
    // SAFETY: all tasks are done.
    let total: f64 = unsafe { sums.range(0..pieces) }.iter().map(|&sum| f64::from(sum)).sum();
    cpu.for_each_row(&op.out, 1, |_, out| out.store(&[total as f32]));
}

/// Products that are summed in `f32` before the sums are in `f64`.
const PIECE: usize = 4096;

struct Products<'a>(&'a [f32], &'a [f32]);

impl Kernel for Products<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        let mut sums = [0.0; 64];
        let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks::<64>(), self.1.as_chunks::<64>());
        for (a, b) in a.iter().zip(b) {
            for i in 0..64 {
                sums[i] = A::fma(a[i], b[i], sums[i]);
            }
        }
        for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *sum = A::fma(*a, *b, *sum);
        }
        sums.iter().sum()
    }
}
