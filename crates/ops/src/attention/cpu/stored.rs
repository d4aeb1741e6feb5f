//! Rows of keys or values as the cache holds them, widened as they are read.

use bessemer_core::DType;
use bessemer_simd::{Arch, Lanes};
use half::f16;

/// Some rows of a cache.
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
            (0..bytes).step_by(64).for_each(|at| prefetch(first.wrapping_add(at)));
        }
    }
}

macro_rules! common {
    ($row:ident: $len:expr) => {
        #[inline(always)]
        fn rows(self) -> usize {
            self.rows
        }

        #[inline(always)]
        fn columns(self) -> usize {
            self.columns
        }

        #[inline(always)]
        fn prefetch(self, row: usize) {
            let $row = self;
            $row.ask(row, $len);
        }
    };
}

impl Stored for Rows<'_, f32> {
    common!(rows: rows.columns);

    #[inline(always)]
    unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2] {
        // SAFETY: the caller's promise, with what `new` asserts.
        let pair = unsafe { self.data.get_unchecked(row * self.step + column..) };
        // SAFETY: as above.
        let pair = unsafe { pair.get_unchecked(..2 * A::F32::LEN) };
        [A::F32::load(pair), A::F32::load(&pair[A::F32::LEN..])]
    }
}

impl Stored for Rows<'_, f16> {
    common!(rows: rows.columns);

    #[inline(always)]
    unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2] {
        // SAFETY: the caller's promise, with what `new` asserts.
        let pair = unsafe { self.data.get_unchecked(row * self.step + column..) };
        // SAFETY: as above.
        let pair = unsafe { pair.get_unchecked(..2 * A::F32::LEN) };
        [A::F32::load_f16(pair), A::F32::load_f16(&pair[A::F32::LEN..])]
    }
}

impl Stored for Rows<'_, u8> {
    common!(rows: rows.columns / BLOCK * BLOCK_BYTES);

    #[inline(always)]
    unsafe fn pair<A: Arch>(self, row: usize, column: usize) -> [A::F32; 2] {
        let at = row * self.step + column / BLOCK * BLOCK_BYTES;
        // SAFETY: the caller's promise, with what `new` asserts.
        let block = unsafe { self.data.get_unchecked(at..) };
        // SAFETY: as above: a block, of which two vectors are all or a part.
        let block = unsafe { block.get_unchecked(..BLOCK_BYTES) };
        let scale = A::F32::splat_f16(f16::from_le_bytes([block[0], block[1]]));
        // SAFETY: a signed byte is a byte; vectors do not cross the end of a block.
        let numbers = unsafe {
            let numbers = &*(std::ptr::from_ref(&block[2..]) as *const [i8]);
            numbers.get_unchecked(column % BLOCK..).get_unchecked(..2 * A::F32::LEN)
        };
        let (low, high) = numbers.split_at(A::F32::LEN);
        [A::F32::load_i8(low).mul(scale), A::F32::load_i8(high).mul(scale)]
    }
}

/// Asks for a cache line that will be read soon; it need not be there.
#[inline(always)]
fn prefetch(_line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching never faults, and every machine of this architecture can.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(_line.cast());
    }
}
