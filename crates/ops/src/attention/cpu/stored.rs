//! Rows of keys or values as the cache holds them, widened as they are read.

use super::TILE;
use bessemer_core::DType;
use bessemer_simd::{Arch, Lanes, convert, prefetch};
use half::f16;

/// Some rows of a cache, ready to be read.
pub(super) trait Stored: Copy {
    /// How many rows.
    fn rows(self) -> usize;

    /// How many numbers there are in a row, at least.
    fn columns(self) -> usize;

    /// Two neighbouring vectors.
    ///
    /// # Safety
    /// `row` must be below `rows`, and `column` a multiple of two vectors below `columns`.
    unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2];
}

/// Some rows of a cache, wherever they are.
pub(super) trait Tokens: Copy {
    /// The same when ready.
    type Ready<'r>: Stored
    where
        Self: 'r;

    /// Makes them ready, with some `room` to work in: half a number for each there is.
    fn ready<'r, A: Arch>(self, room: &'r mut [f32]) -> Self::Ready<'r>
    where
        Self: 'r;

    /// Asks for a row that will be read soon, if there is such a row.
    fn prefetch(self, row: usize);
}

/// Elements and bytes of a block of `Q8_0`.
pub(super) const BLOCK: usize = DType::Q8_0.block_len();
pub(super) const BLOCK_BYTES: usize = DType::Q8_0.block_bytes();

/// Rows at even steps: of `f32`, of `f16`, or of bytes in blocks of `Q8_0`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    data: &'a [T],
    step: usize,
    rows: usize,
    columns: usize,
}

impl<'a, T> Rows<'a, T> {
    /// `rows` of `columns` numbers, `step` apart, of which each takes `len` of `data`.
    ///
    /// # Panics
    /// If there are fewer, or, of none, one.
    #[inline(always)]
    pub(super) fn new(data: &'a [T], step: usize, rows: usize, columns: usize, len: usize) -> Self {
        assert!(rows > 0 && (rows - 1) * step + len <= data.len(), "{rows} rows of {len}");
        Rows { data, step, rows, columns }
    }

    /// Asks for all cache lines of a row.
    #[inline(always)]
    fn ask(self, row: usize, len: usize) {
        if row < self.rows {
            let bytes = len * size_of::<T>();
            let first = self.data.as_ptr().wrapping_add(row * self.step).cast::<u8>();
            (0..bytes).step_by(64).for_each(|at| prefetch::read(first.wrapping_add(at)));
        }
    }
}

macro_rules! floats {
    ($type:ty, $load:ident) => {
        impl Tokens for Rows<'_, $type> {
            type Ready<'r>
                = Self
            where
                Self: 'r;

            #[inline(always)]
            fn ready<'r, A: Arch>(self, _: &'r mut [f32]) -> Self
            where
                Self: 'r,
            {
                self
            }

            #[inline(always)]
            fn prefetch(self, row: usize) {
                self.ask(row, self.columns);
            }
        }

        impl Stored for Rows<'_, $type> {
            #[inline(always)]
            fn rows(self) -> usize {
                self.rows
            }

            #[inline(always)]
            fn columns(self) -> usize {
                self.columns
            }

            #[inline(always)]
            unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2] {
                // SAFETY: the caller's promise, with what `new` asserts.
                let pair = unsafe { self.data.get_unchecked(row * self.step + column..) };
                // SAFETY: as above.
                let pair = unsafe { pair.get_unchecked(..2 * A::F32::LEN) };
                [A::F32::$load(pair), A::F32::$load(&pair[A::F32::LEN..])]
            }
        }
    };
}

floats!(f32, load);
floats!(f16, load_f16);

/// Rows in blocks of `Q8_0`, with their scales apart: as numbers in memory they cost nothing more.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    rows: Rows<'a, u8>,
    /// Of each block of each row.
    scales: &'a [f32],
    /// Blocks of a row.
    blocks: usize,
}

/// The most scales there can be.
const SCALES: usize = 8 * TILE;

impl Rows<'_, u8> {
    /// The longest rows there can be.
    pub(super) const LONGEST: usize = SCALES / TILE * BLOCK;
}

impl<'a> Tokens for Rows<'a, u8> {
    type Ready<'r>
        = Blocks<'r>
    where
        Self: 'r;

    #[inline(always)]
    fn ready<'r, A: Arch>(self, room: &'r mut [f32]) -> Blocks<'r>
    where
        Self: 'r,
    {
        let blocks = self.columns / BLOCK;
        let mut halves = [0u16; SCALES];
        assert!(self.rows * blocks <= SCALES && blocks > 0);
        for (row, halves) in halves.chunks_exact_mut(blocks).take(self.rows).enumerate() {
            for (block, half) in halves.iter_mut().enumerate() {
                let at = row * self.step + block * BLOCK_BYTES;
                // SAFETY: a block of a row, by what `new` asserts.
                let bytes = unsafe { self.data.get_unchecked(at..).get_unchecked(..2) };
                *half = u16::from_le_bytes([bytes[0], bytes[1]]);
            }
        }
        let (halves, _) = halves.as_chunks::<16>();
        let scales = &mut room[..(self.rows * blocks).next_multiple_of(16)];
        for (scales, halves) in scales.chunks_exact_mut(16).zip(halves) {
            scales.copy_from_slice(&convert::f32x16_from_f16::<A>(halves));
        }
        Blocks { rows: self, scales, blocks }
    }

    #[inline(always)]
    fn prefetch(self, row: usize) {
        self.ask(row, self.columns / BLOCK * BLOCK_BYTES);
    }
}

impl Stored for Blocks<'_> {
    #[inline(always)]
    fn rows(self) -> usize {
        self.rows.rows
    }

    #[inline(always)]
    fn columns(self) -> usize {
        self.rows.columns
    }

    #[inline(always)]
    unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2] {
        let block = column / BLOCK;
        let at = row * self.rows.step + block * BLOCK_BYTES + 2 + column % BLOCK;
        // SAFETY: the caller's promise, with what `new` asserts; two vectors are a block or a part
        // of one, and a signed byte is a byte.
        let numbers: &[i8] = unsafe {
            let bytes = self.rows.data.get_unchecked(at..).get_unchecked(..2 * A::F32::LEN);
            &*(std::ptr::from_ref(bytes) as *const [i8])
        };
        // SAFETY: there is one for each block of each row.
        let scale = unsafe { *self.scales.get_unchecked(row * self.blocks + block) };
        let scale = A::F32::splat(scale);
        let (low, high) = numbers.split_at(A::F32::LEN);
        [A::F32::load_i8(low).mul(scale), A::F32::load_i8(high).mul(scale)]
    }
}
