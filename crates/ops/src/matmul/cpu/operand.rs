//! Dense matrices of any float dtype as the `f32` that the GEMM library takes.

use super::gemm::Matrix;
#[cfg(target_arch = "x86_64")]
use super::turn512::{Lines, turn};
use bessemer_core::{
    DType, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Isa, convert};
use std::ops::Range;

/// Columns that a thread copies at once, at least.
const TURNED: usize = 16;

/// A matrix among the inputs of an op.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    dtype: DType,
    first: *const u8,
    row: isize,
    column: isize,
}

// SAFETY: an address of memory that is only read.
unsafe impl Sync for Operand {}

impl Operand {
    /// The first matrix (of the last two dimensions) of `view`.
    pub(crate) fn new(cpu: &CpuContext<'_>, view: &View) -> Operand {
        let (bytes, strides) = (cpu.bytes(view), view.strides());
        let first = view.offset() - view.range().start;
        let rank = view.shape().rank();
        Operand {
            dtype: view.dtype(),
            first: bytes.as_ptr().wrapping_add(first),
            row: strides[rank - 2],
            column: strides[rank - 1],
        }
    }

    /// The matrix that starts `start` elements later.
    pub(crate) fn shifted(self, start: isize) -> Operand {
        let bytes = start * self.dtype.block_bytes() as isize;
        Operand { first: self.first.wrapping_offset(bytes), ..self }
    }

    /// The same with rows and columns swapped.
    pub(crate) fn transposed(self) -> Operand {
        Operand { row: self.column, column: self.row, ..self }
    }

    /// Whether it needs no copy to be multiplied.
    pub(crate) fn is_f32(&self) -> bool {
        self.dtype == DType::F32
    }

    /// A part of it as the right matrix of a product: as `f32`, copied by all threads if it must be.
    /// Where the machine turns matrices round fast, its rows have no gaps: libraries take such a
    /// right matrix much faster than one whose columns have none.
    ///
    /// # Safety
    /// The part must be within the matrix.
    pub(crate) unsafe fn as_right(
        &self,
        cpu: &CpuContext<'_>,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> Matrix<*const f32> {
        let isa = cpu.isa();
        let turned = cfg!(target_arch = "x86_64") && isa == Isa::Avx512 && self.row == 1;
        let (len, width) = (rows.len(), columns.len());
        if !turned && (self.is_f32() || self.row != 1) {
            let room = if self.is_f32() { 0 } else { len * width };
            // SAFETY: as the caller promises.
            return unsafe { self.block(isa, rows, columns, cpu.scratch(room)) };
        }
        let room = Output::of(cpu.scratch::<f32>(len * width));
        cpu.split(width.div_ceil(TURNED), 1, |strips| {
            let part = strips.start * TURNED..width.min(strips.end * TURNED);
            let first = self.place(rows.start, columns.start + part.start);
            // SAFETY: as the caller promises; each strip belongs to one task, and contexts have
            // instructions that the machine has.
            unsafe {
                #[cfg(target_arch = "x86_64")]
                if turned {
                    let (dtype, count) = (self.dtype, part.len());
                    let lines = Lines { dtype, first, step: self.column, count, len };
                    return turn(lines, room.as_ptr().add(part.start), width);
                }
                let from = Operand { first, ..*self }.transposed();
                let room = room.range(part.start * len..part.end * len);
                from.block(isa, 0..part.len(), 0..len, room);
            }
        });
        let (row, column) = if turned { (width as isize, 1) } else { (1, len as isize) };
        Matrix { first: room.as_ptr(), row, column }
    }

    fn place(&self, row: usize, column: usize) -> *const u8 {
        let offset = row as isize * self.row + column as isize * self.column;
        self.first.wrapping_offset(offset * self.dtype.block_bytes() as isize)
    }

    /// A part of it as `f32`: in place if it is that, else copied to `room`.
    ///
    /// # Safety
    /// The part must be within the matrix.
    pub(crate) unsafe fn block(
        &self,
        isa: Isa,
        rows: Range<usize>,
        columns: Range<usize>,
        room: &mut [f32],
    ) -> Matrix<*const f32> {
        let bytes = self.dtype.block_bytes() as isize;
        let first = self.place(rows.start, columns.start);
        if self.is_f32() {
            return Matrix { first: first.cast(), row: self.row, column: self.column };
        }
        // Lines are what lies without gaps: rows, or else columns.
        let by_row = self.column == 1 || self.row != 1;
        let (lines, len) =
            if by_row { (rows.len(), columns.len()) } else { (columns.len(), rows.len()) };
        let (line, step) = if by_row { (self.row, self.column) } else { (self.column, self.row) };
        for (i, to) in room[..lines * len].chunks_mut(len.max(1)).enumerate() {
            let from = first.wrapping_offset(i as isize * line * bytes).cast::<u16>();
            // SAFETY: elements of the part, which are of two bytes.
            unsafe {
                if step == 1 {
                    let from = std::slice::from_raw_parts(from, len);
                    match self.dtype {
                        DType::F16 => convert::f16_to_f32(isa, from, to),
                        _ => convert::bf16_to_f32(isa, from, to),
                    }
                } else {
                    for (j, to) in to.iter_mut().enumerate() {
                        let bits = *from.offset(j as isize * step);
                        *to = match self.dtype {
                            DType::F16 => convert::f32_from_f16_bits(bits),
                            _ => convert::f32_from_bf16_bits(bits),
                        };
                    }
                }
            }
        }
        let (row, column) = if by_row { (len as isize, 1) } else { (1, len as isize) };
        Matrix { first: room.as_ptr(), row, column }
    }
}
