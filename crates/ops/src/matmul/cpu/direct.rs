//! Products of matrices of one dtype that need no copy: `f64` and complex numbers by the GEMM library,
//! integers by loops of our own, which wrap.

use super::{Matmul, batch_start, even_blocks, gemm::Matrix};
use bessemer_core::{
    Complex, DType, Element, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Isa, Kernel};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Multiplies matrices that are all of one dtype other than a float of at most 32 bits.
pub(super) fn matmul(op: &Matmul, cpu: &CpuContext<'_>) {
    match op.out.dtype() {
        DType::F64 => blocks::<f64>(op, cpu),
        DType::Complex64 => blocks::<Complex<f32>>(op, cpu),
        DType::I8 => blocks::<i8>(op, cpu),
        DType::I16 => blocks::<i16>(op, cpu),
        DType::I32 => blocks::<i32>(op, cpu),
        DType::I64 => blocks::<i64>(op, cpu),
        DType::U8 => blocks::<u8>(op, cpu),
        DType::U16 => blocks::<u16>(op, cpu),
        DType::U32 => blocks::<u32>(op, cpu),
        DType::U64 => blocks::<u64>(op, cpu),
        dtype => unreachable!("checked: products of {dtype} are made elsewhere"),
    }
}

/// What matrices can be made of.
trait Factor: Element {
    /// Elements of memory that one product needs to work in.
    const ROOM: usize;

    /// `out = a · b`, where `size` is rows, inner length and columns.
    ///
    /// # Safety
    /// All elements of `a` and `b` must be readable and those of `out` writable, each of `out` at a
    /// place of its own and apart from the inputs.
    unsafe fn multiply(
        isa: Isa,
        size: (usize, usize, usize),
        a: Matrix<*const Self>,
        b: Matrix<*const Self>,
        out: Matrix<*mut Self>,
        room: &mut [Self],
    );
}

/// Blocks of the output, shared among threads.
fn blocks<T: Factor>(op: &Matmul, cpu: &CpuContext<'_>) {
    let (m, k, n) = op.sizes();
    let batches = op.out.elements() / (m * n);
    let (rows, columns) = even_blocks(m, n, batches, cpu.threads());
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let tasks = batches * down * across;
    let workers = cpu.threads().min(tasks);
    let (a, b) = (cpu.bytes(&op.a), cpu.bytes(&op.b));
    let (a, b) = (input::<T>(&op.a, a), input::<T>(&op.b, b));
    let target = cpu.output::<T>(&op.out);
    let out = at(&op.out, target.as_ptr());
    let (all, isa, next) =
        (Output::of(cpu.scratch(workers * T::ROOM)), cpu.isa(), AtomicUsize::new(0));
    cpu.run(workers, |worker| {
        // SAFETY: each worker has its own piece.
        let room = unsafe { all.range(worker * T::ROOM..(worker + 1) * T::ROOM) };
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            let (batch, block) = (task / (down * across), task % (down * across));
            let (i, j) = (block / across * rows, block % across * columns);
            let size = (rows.min(m - i), k, columns.min(n - j));
            let a = a.moved(batch_start(&op.a, &op.out, batch)).from(i, 0);
            let b = b.moved(batch_start(&op.b, &op.out, batch)).from(0, j);
            let out = out.moved(batch_start(&op.out, &op.out, batch)).from(i, j);
            // SAFETY: blocks are within the matrices, and each block of the output belongs to one
            // task.
            unsafe { T::multiply(isa, size, a.read(), b.read(), out.0, room) };
        }
    });
}

/// Where a matrix lies.
struct Place<T>(Matrix<*mut T>);

// SAFETY: an address, which only `unsafe` code that says why it may looks behind.
unsafe impl<T> Sync for Place<T> {}

impl<T> Place<T> {
    fn moved(&self, elements: isize) -> Place<T> {
        let Matrix { first, row, column } = self.0;
        Place(Matrix { first: first.wrapping_offset(elements), row, column })
    }

    /// Without what is before a row and a column.
    fn from(&self, row: usize, column: usize) -> Place<T> {
        self.moved(row as isize * self.0.row + column as isize * self.0.column)
    }

    fn read(self) -> Matrix<*const T> {
        let Matrix { first, row, column } = self.0;
        Matrix { first: first.cast_const(), row, column }
    }
}

/// The first matrix of an input, whose bytes these are.
fn input<T>(view: &View, bytes: &[u8]) -> Place<T> {
    at(view, bytes.as_ptr().cast_mut().cast())
}

/// The first matrix of a view whose lowest element is at `lowest`.
fn at<T>(view: &View, lowest: *mut T) -> Place<T> {
    let (rank, strides) = (view.shape().rank(), view.strides());
    let first = lowest.wrapping_add(view.lead());
    Place(Matrix { first, row: strides[rank - 2], column: strides[rank - 1] })
}

macro_rules! by_library {
    ($($type:ty: $zero:expr, $one:expr;)*) => {$(
        impl Factor for $type {
            const ROOM: usize = 0;

            unsafe fn multiply(
                _: Isa,
                (m, k, n): (usize, usize, usize),
                a: Matrix<*const $type>,
                b: Matrix<*const $type>,
                out: Matrix<*mut $type>,
                _: &mut [$type],
            ) {
                // SAFETY: as the caller promises. What was there before is not read.
                unsafe {
                    gemm::gemm(
                        m,
                        n,
                        k,
                        out.first,
                        out.column,
                        out.row,
                        false,
                        a.first,
                        a.column,
                        a.row,
                        b.first,
                        b.column,
                        b.row,
                        $zero,
                        $one,
                        false,
                        false,
                        false,
                        gemm::Parallelism::None,
                    );
                }
            }
        }
    )*};
}

by_library! {
    f64: 0.0, 1.0;
    Complex<f32>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
}

macro_rules! by_loops {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
        }

        impl Factor for $type {
            const ROOM: usize = DEEP * WIDE;

            unsafe fn multiply(
                isa: Isa,
                size: (usize, usize, usize),
                a: Matrix<*const $type>,
                b: Matrix<*const $type>,
                out: Matrix<*mut $type>,
                panel: &mut [$type],
            ) {
                isa.run(Integers { size, a, b, out, panel });
            }
        }
    )*};
}

by_loops!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Arithmetic that wraps.
trait Integer: Element {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

/// Columns and inner length of a panel of the right matrix, which stays in the second-level cache.
const WIDE: usize = 32;
const DEEP: usize = 512;
/// Rows that go through a panel together.
const ROWS: usize = 4;

/// A product of integers. Its parts are as [`Factor::multiply`] asks.
struct Integers<'a, T> {
    size: (usize, usize, usize),
    a: Matrix<*const T>,
    b: Matrix<*const T>,
    out: Matrix<*mut T>,
    panel: &'a mut [T],
}

impl<T: Integer> Kernel for Integers<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(mut self) {
        let (m, k, n) = self.size;
        for column in (0..n).step_by(WIDE) {
            let width = WIDE.min(n - column);
            // Without inner elements the sums of none are stored all the same.
            for inner in (0..k.max(1)).step_by(DEEP) {
                let depth = DEEP.min(k - inner);
                // SAFETY: parts of the matrices, as `multiply` asks.
                unsafe {
                    self.pack(inner, depth, column, width);
                    for row in (0..m).step_by(ROWS) {
                        let rows = ROWS.min(m - row);
                        self.strip((row, rows), (inner, depth), (column, width));
                    }
                }
            }
        }
    }
}

impl<T: Integer> Integers<'_, T> {
    /// Copies a panel of the right matrix, with zeros behind its rows.
    #[inline(always)]
    unsafe fn pack(&mut self, inner: usize, depth: usize, column: usize, width: usize) {
        let Matrix { first, row, column: step } = self.b;
        for (i, to) in self.panel.chunks_exact_mut(WIDE).take(depth).enumerate() {
            let start = (inner + i) as isize * row + column as isize * step;
            for (j, to) in to.iter_mut().enumerate() {
                // SAFETY: within the right matrix.
                let element = || unsafe { *first.offset(start + j as isize * step) };
                *to = if j < width { element() } else { T::default() };
            }
        }
    }

    /// A few rows of the left matrix times the panel.
    #[inline(always)]
    unsafe fn strip(
        &mut self,
        (row, rows): (usize, usize),
        (inner, depth): (usize, usize),
        (column, width): (usize, usize),
    ) {
        let (a, out) = (self.a, self.out);
        let place = |i: usize, j: usize| {
            out.first
                .wrapping_offset((row + i) as isize * out.row + (column + j) as isize * out.column)
        };
        let mut sums = [[T::default(); WIDE]; ROWS];
        for (i, panel) in self.panel.as_chunks::<WIDE>().0.iter().take(depth).enumerate() {
            for (r, sums) in sums.iter_mut().enumerate() {
                // Rows that are not there are the last one again, and not stored.
                let r = (row + r.min(rows - 1)) as isize * a.row;
                // SAFETY: within the left matrix.
                let factor = unsafe { *a.first.offset(r + (inner + i) as isize * a.column) };
                for (sum, &other) in sums.iter_mut().zip(panel) {
                    *sum = sum.plus(factor.times(other));
                }
            }
        }
        for (i, sums) in sums.iter().enumerate().take(rows) {
            for (j, &sum) in sums.iter().enumerate().take(width) {
                // SAFETY: an element of the output, which this task has alone.
                unsafe {
                    let before = if inner == 0 { T::default() } else { *place(i, j) };
                    *place(i, j) = before.plus(sum);
                }
            }
        }
    }
}
