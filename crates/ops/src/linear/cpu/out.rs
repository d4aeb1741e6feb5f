//! Where results go: parts of rows, with the bias added and the activation applied, rounded to the dtype
//! of the output.

use super::Layer;
use crate::{
    gated::{Activation, activate},
    matmul::cpu::gemm::Matrix,
};
use bessemer_core::{
    DType, Element, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Isa, prefetch};
use half::{bf16, f16, slice::HalfFloatSliceExt};
use std::ops::Range;

/// The output of a linear layer, to be written by several threads at once.
pub(super) struct Out<'a> {
    place: Place<'a>,
    view: View,
    /// Where the first element lies in the output.
    first: usize,
    /// How far apart rows are, if that is the same for all.
    row_step: Option<isize>,
    /// Whether the elements of a row follow each other.
    gapless: bool,
    bias: Option<&'a [f32]>,
    activation: Option<Activation>,
    isa: Isa,
    /// Which rows of the output these are, if not all.
    rows: Option<&'a [u32]>,
}

enum Place<'a> {
    F32(Output<'a, f32>),
    F16(Output<'a, f16>),
    BF16(Output<'a, bf16>),
}

impl<'a> Out<'a> {
    pub(super) fn new(op: &Layer<'a>, cpu: &'a CpuContext<'_>) -> Out<'a> {
        let place = match op.out.dtype() {
            DType::F16 => Place::F16(cpu.output(op.out)),
            DType::BF16 => Place::BF16(cpu.output(op.out)),
            _ => Place::F32(cpu.output(op.out)),
        };
        let bias = op.bias.map(|bias| {
            if bias.dtype() == DType::F32 && bias.is_contiguous() {
                return cpu.slice(bias);
            }
            let values = cpu.scratch::<f32>(bias.elements());
            cpu.rows(bias).load(0, values);
            &*values
        });
        let first = op.out.offset() - op.out.range().start;
        let first = first / op.out.dtype().block_bytes();
        let row_step = match op.out.shape().rank() {
            1 => Some(0),
            2 => Some(op.out.strides()[0]),
            _ => None,
        };
        let gapless = op.out.strides().last() == Some(&1);
        Out {
            place,
            view: op.out.clone(),
            first,
            row_step,
            gapless,
            bias,
            activation: op.activation,
            isa: cpu.isa(),
            rows: op.rows,
        }
    }

    /// Writes `values` to row `row` from column `column` on.
    ///
    /// # Safety
    /// Nobody else may write to these elements meanwhile.
    #[inline]
    pub(super) unsafe fn store(&self, row: usize, column: usize, values: &[f32]) {
        let row = self.rows.map_or(row, |rows| rows[row] as usize);
        if let (Place::F32(out), Some(step), true) = (&self.place, self.row_step, self.gapless) {
            let start = self.first.wrapping_add_signed(row as isize * step) + column;
            // SAFETY: as the caller promises.
            let results = unsafe { out.range(start..start + values.len()) };
            return self.finish(column, values, results);
        }
        // SAFETY: as the caller promises.
        unsafe { self.store_anywhere(row, column, values) }
    }

    /// Sums with the bias added and the activation applied.
    #[inline]
    fn finish(&self, column: usize, sums: &[f32], results: &mut [f32]) {
        match self.bias {
            None => results.copy_from_slice(sums),
            Some(bias) => {
                for ((result, sum), bias) in results.iter_mut().zip(sums).zip(&bias[column..]) {
                    *result = sum + bias;
                }
            }
        }
        if let Some(activation) = self.activation {
            activate(self.isa, activation, results);
        }
    }

    /// # Safety
    /// As [`Out::store`].
    unsafe fn store_anywhere(&self, row: usize, column: usize, values: &[f32]) {
        let mut room = [0.0; 64];
        for (i, values) in values.chunks(room.len()).enumerate() {
            let column = column + i * room.len();
            let results = &mut room[..values.len()];
            self.finish(column, values, results);
            let values = &*results;
            // SAFETY: as the caller promises.
            unsafe {
                match &self.place {
                    Place::F32(out) => {
                        self.put(out, row, column, values, |x| x, <[f32]>::copy_from_slice)
                    }
                    Place::F16(out) => {
                        self.put(out, row, column, values, f16::from_f32, |to, from| {
                            to.convert_from_f32_slice(from)
                        })
                    }
                    Place::BF16(out) => {
                        self.put(out, row, column, values, bf16::from_f32, |to, from| {
                            to.convert_from_f32_slice(from)
                        })
                    }
                }
            }
        }
    }

    /// Where sums can be written as they come, from a row and a column on: rows of `f32` with neither
    /// bias nor activation.
    pub(super) fn block(&self, row: usize, column: usize) -> Option<Matrix<*mut f32>> {
        let (Place::F32(out), Some(down), None, None, None) =
            (&self.place, self.row_step, self.bias, self.activation, self.rows)
        else {
            return None;
        };
        let right = *self.view.strides().last()?;
        let start = row as isize * down + column as isize * right;
        let first = out.as_ptr().wrapping_offset(self.first as isize + start);
        Some(Matrix { first, row: down, column: right })
    }

    /// Asks for the memory of some columns of a row, which will soon be stored to.
    #[inline]
    pub(super) fn fetch(&self, row: usize, columns: &Range<usize>) {
        let (Place::F32(out), Some(step)) = (&self.place, self.row_step) else { return };
        let row = self.rows.map_or(row, |rows| rows[row] as usize);
        let start = row as isize * step + columns.start as isize;
        let first = out.as_ptr().wrapping_offset(self.first as isize + start);
        for line in (0..columns.len()).step_by(16) {
            prefetch::write(first.wrapping_add(line));
        }
    }

    /// # Safety
    /// As [`Out::store`].
    unsafe fn put<T: Element>(
        &self,
        out: &Output<'_, T>,
        row: usize,
        column: usize,
        values: &[f32],
        each: impl Fn(f32) -> T,
        all: impl Fn(&mut [T], &[f32]),
    ) {
        let (shape, strides) = (self.view.shape(), self.view.strides());
        let last = shape.rank() - 1;
        let mut offset = column as isize * strides[last];
        if let Some(step) = self.row_step {
            offset += row as isize * step;
        } else {
            let mut rest = row;
            for axis in (0..last).rev() {
                offset += (rest % shape[axis]) as isize * strides[axis];
                rest /= shape[axis];
            }
        }
        let start = self.first.wrapping_add_signed(offset);
        if self.gapless {
            // SAFETY: as the caller promises.
            all(unsafe { out.range(start..start + values.len()) }, values);
        } else {
            for (i, &value) in values.iter().enumerate() {
                let at = start.wrapping_add_signed(i as isize * strides[last]);
                // SAFETY: as the caller promises.
                let place = unsafe { out.range(at..at + 1) };
                place[0] = each(value);
            }
        }
    }
}
