//! Tiles of keys or values, widened to `f32`.

use super::{
    multiply::Matrix,
    stored::{BLOCK, BLOCK_BYTES, Rows},
};
use bessemer_core::{DType, View, cpu::CpuContext};
use bessemer_simd::{Arch, Lanes, convert};
use half::{bf16, f16};
use std::ops::Range;

/// A cache of keys or values: `[heads, tokens, head_size]`.
pub(super) struct Source<'c> {
    data: Data<'c>,
    /// Where the first element lies in `data`, and the steps between heads and tokens.
    first: isize,
    steps: [isize; 2],
    head_size: usize,
}

enum Data<'c> {
    F32(&'c [f32]),
    F16(&'c [f16]),
    BF16(&'c [bf16]),
    Q8(&'c [u8]),
}

/// Some tokens of a head as they are stored.
pub(super) enum Tile<'t> {
    F32(Rows<'t, f32>),
    F16(Rows<'t, f16>),
    Q8(Rows<'t, u8>),
}

impl<'c> Source<'c> {
    pub(super) fn new(cpu: &'c CpuContext<'_>, view: &View) -> Source<'c> {
        let data = match view.dtype() {
            DType::F32 => Data::F32(cpu.slice(view)),
            DType::F16 => Data::F16(cpu.slice(view)),
            DType::BF16 => Data::BF16(cpu.slice(view)),
            DType::Q8_0 => Data::Q8(cpu.bytes(view)),
            other => unreachable!("keys and values of {other}"),
        };
        // In units of `data`: bytes for blocks, elements otherwise.
        let (unit, per_unit) = match view.dtype() {
            DType::Q8_0 => (1, BLOCK_BYTES as isize),
            dtype => (dtype.block_bytes(), 1),
        };
        let block = view.dtype().block_len() as isize;
        let step = |axis: usize| view.strides()[axis] / block * per_unit;
        Source {
            data,
            first: ((view.offset() - view.range().start) / unit) as isize,
            steps: [step(0), step(1)],
            head_size: view.shape()[2],
        }
    }

    /// Some tokens of a head, at least one, as they are stored; `None` if their rows are not of
    /// `padded` numbers or can't be read as they are.
    #[inline(always)]
    pub(super) fn stored(
        &self,
        head: usize,
        tokens: Range<usize>,
        padded: usize,
    ) -> Option<Tile<'_>> {
        let step = usize::try_from(self.steps[1]).ok().filter(|_| self.head_size == padded)?;
        let first =
            self.first + self.steps[0] * head as isize + self.steps[1] * tokens.start as isize;
        let (first, count) = (first as usize, tokens.len());
        match self.data {
            Data::F32(data) => {
                Some(Tile::F32(Rows::new(&data[first..], step, count, padded, padded)))
            }
            Data::F16(data) => {
                Some(Tile::F16(Rows::new(&data[first..], step, count, padded, padded)))
            }
            Data::BF16(_) => None,
            Data::Q8(_) if padded > Rows::LONGEST => None,
            Data::Q8(data) => {
                let len = padded / BLOCK * BLOCK_BYTES;
                Some(Tile::Q8(Rows::new(&data[first..], step, count, padded, len)))
            }
        }
    }

    /// Some tokens of a head as rows of `padded`: where they are if they are such rows, otherwise
    /// in `buffer`, with zeros behind them.
    #[inline(always)]
    pub(super) fn tile<'t, A: Arch>(
        &'t self,
        head: usize,
        tokens: Range<usize>,
        buffer: &'t mut [f32],
        padded: usize,
    ) -> Matrix<'t> {
        let Source { data, first, steps, head_size } = self;
        let head = first + steps[0] * head as isize;
        let at = |token: usize| (head + steps[1] * token as isize) as usize;
        if let (Data::F32(data), Ok(row)) = (data, usize::try_from(steps[1]))
            && *head_size == padded
            && !tokens.is_empty()
        {
            return Matrix { values: &data[at(tokens.start)..], row, column: 1 };
        }
        // Rows that follow each other are one long row.
        let units = match data {
            Data::Q8(_) => head_size / BLOCK * BLOCK_BYTES,
            _ => *head_size,
        };
        let gapless = steps[1] == units as isize && *head_size == padded;
        let (rows, at_once) = if gapless { (1, tokens.len()) } else { (tokens.len(), 1) };
        let places = buffer.chunks_exact_mut(padded * at_once);
        for (i, row) in places.take(rows).enumerate() {
            let start = at(tokens.start + i);
            let (row, rest) = row.split_at_mut(head_size * at_once);
            let part = start..start + units * at_once;
            match data {
                Data::F32(data) => row.copy_from_slice(&data[part]),
                Data::F16(data) => widen::<A>(&data[part], row),
                Data::BF16(data) => {
                    for (to, from) in row.iter_mut().zip(&data[part]) {
                        *to = convert::f32_from_bf16_bits(from.to_bits());
                    }
                }
                Data::Q8(data) => dequantise::<A>(&data[part], row),
            }
            rest.fill(0.0);
        }
        Matrix { values: buffer, row: padded, column: 1 }
    }
}

#[inline(always)]
fn widen<A: Arch>(from: &[f16], to: &mut [f32]) {
    let len = A::F32::LEN;
    let whole = from.len() / len * len;
    for (from, to) in from.chunks_exact(len).zip(to.chunks_exact_mut(len)) {
        A::F32::load_f16(from).store(to);
    }
    for (from, to) in from[whole..].iter().zip(&mut to[whole..]) {
        *to = from.to_f32();
    }
}

#[inline(always)]
fn dequantise<A: Arch>(blocks: &[u8], to: &mut [f32]) {
    for (block, to) in blocks.chunks_exact(BLOCK_BYTES).zip(to.chunks_exact_mut(BLOCK)) {
        let scale = convert::f32_from_f16_bits(u16::from_le_bytes([block[0], block[1]]));
        for (numbers, to) in
            block[2..].chunks_exact(A::F32::LEN).zip(to.chunks_exact_mut(A::F32::LEN))
        {
            // SAFETY: a signed byte is a byte.
            let numbers = unsafe { &*(std::ptr::from_ref(numbers) as *const [i8]) };
            A::F32::load_i8(numbers).mul(A::F32::splat(scale)).store(to);
        }
    }
}
