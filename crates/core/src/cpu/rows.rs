//! The operands of an op as rows of `f32`, whatever their dtype and strides.

use super::{
    CpuContext,
    cast::{Run, cast, decode, encode, pick, spread},
    operands::host,
};
use crate::{DType, Layout, View, host::contains};
use bessemer_simd::{Isa, prefetch};
use std::{marker::PhantomData, slice::from_raw_parts};

/// The rows (last dimension) of an input. Works for every dtype and any strides, and on views the
/// op also writes.
pub struct Rows<'a> {
    place: Place,
    /// Whether the op writes to it too.
    written: bool,
    context: PhantomData<&'a ()>,
}

/// The rows of an output.
pub struct OutRows<'a> {
    place: Place,
    context: PhantomData<&'a ()>,
}

/// One row of an output, for the one task that has it.
pub struct OutRow<'a> {
    place: &'a Place,
    row: usize,
}

/// Where rows lie.
struct Place {
    isa: Isa,
    dtype: DType,
    count: usize,
    width: usize,
    /// Of the first elements of the rows.
    layout: Layout<1>,
    step: isize,
    first: *mut u8,
}

// SAFETY: an address and its layout; what may be done with it is said where it is used.
unsafe impl Sync for Place {}
// SAFETY: as above.
unsafe impl Send for Place {}

impl CpuContext<'_> {
    /// The rows of an input.
    ///
    /// # Panics
    /// If the op's `access` does not name it: a mistake in the op.
    pub fn rows(&self, view: &View) -> Rows<'_> {
        let named = self.access.views().any(|v| contains(v, view));
        assert!(named, "reads {view:?}, which its access does not name");
        Rows {
            place: Place::of(view, self.isa),
            written: self.access.writes.iter().any(|v| v.overlaps(view)),
            context: PhantomData,
        }
    }

    /// The rows of an output.
    ///
    /// # Panics
    /// If the op's `access` does not name it as written: a mistake in the op.
    pub fn out_rows(&self, view: &View) -> OutRows<'_> {
        let named = self.access.writes.iter().any(|v| contains(v, view));
        assert!(named, "writes {view:?}, which its access does not name");
        OutRows { place: Place::of(view, self.isa), context: PhantomData }
    }

    /// Calls `work` with each row of an output and its number, on all threads, at least `grain`
    /// rows at a time.
    ///
    /// # Panics
    /// As [`CpuContext::out_rows`].
    pub fn for_each_row(&self, view: &View, grain: usize, work: impl Fn(usize, OutRow<'_>) + Sync) {
        self.for_each_row_with(view, grain, 0, |row, out, _| work(row, out));
    }

    /// The same with a buffer of `floats` for each call to work in.
    ///
    /// # Panics
    /// As [`CpuContext::out_rows`].
    pub fn for_each_row_with(
        &self,
        view: &View,
        grain: usize,
        floats: usize,
        work: impl Fn(usize, OutRow<'_>, &mut [f32]) + Sync,
    ) {
        let out = self.out_rows(view);
        self.split_with(out.count(), grain, floats, |rows, buffer| {
            for row in rows {
                // SAFETY: each row is in one piece only.
                work(row, unsafe { out.row(row) }, buffer);
            }
        });
    }
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.place.count
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.place.width
    }

    /// Copies row `row` to `out`, which must be as long. `out` may be that row itself.
    ///
    /// # Panics
    /// If there is no such row or the length is another.
    pub fn load(&self, row: usize, out: &mut [f32]) {
        let from = self.place.run(row);
        assert_eq!(out.len(), self.width(), "one place per element");
        let to = Run { dtype: DType::F32, first: out.as_mut_ptr().cast(), step: 1 };
        if from.first == to.first {
            // `out` is the row, so that it must be reached through `out`.
            let from = Run { first: to.first, ..from };
            // SAFETY: the very same place.
            return unsafe { cast(self.place.isa, from, to, out.len()) };
        }
        // SAFETY: the row lies within the view; nobody writes to it meanwhile but the task that
        // this row is for, as `CpuContext::new` asks; `out` is elsewhere.
        unsafe {
            if from.dtype.is_block() {
                decode(self.place.isa, from, out);
            } else {
                cast(self.place.isa, from, to, out.len());
            }
        }
    }

    /// Asks for the memory of row `row`, which will be read later. Rows that lie far apart are not
    /// fetched ahead by the machine.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn prefetch(&self, row: usize) {
        self.place.lines(row).for_each(prefetch::read_later);
    }

    /// Row `row` itself, if it is gapless `f32` that the op does not write.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn direct(&self, row: usize) -> Option<&[f32]> {
        let run = self.place.run(row);
        let direct = self.place.is_direct() && !self.written;
        // SAFETY: gapless `f32` within the view, which nobody writes to (`CpuContext::new`).
        direct.then(|| unsafe { from_raw_parts(run.first.cast(), self.width()) })
    }

    /// Row `row` itself where that can be, otherwise a copy of it in `buffer`, which must be as
    /// long.
    ///
    /// # Panics
    /// If there is no such row or the length is another.
    pub fn get<'b>(&'b self, row: usize, buffer: &'b mut [f32]) -> &'b [f32] {
        if let Some(row) = self.direct(row) {
            return row;
        }
        self.load(row, buffer);
        buffer
    }
}

impl OutRows<'_> {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.place.count
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.place.width
    }

    /// Asks for the memory of row `row`, which will be written later: a store that has to wait for its
    /// memory holds up all that follow it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn prefetch(&self, row: usize) {
        self.place.lines(row).for_each(prefetch::write);
    }

    /// Row `row`.
    ///
    /// # Safety
    /// No other task may have this row at the same time.
    ///
    /// # Panics
    /// If there is no such row.
    pub unsafe fn row(&self, row: usize) -> OutRow<'_> {
        assert!(row < self.place.count, "row {row} of {}", self.place.count);
        OutRow { place: &self.place, row }
    }
}

impl OutRow<'_> {
    /// Replaces the row by `values`, rounded to its dtype as
    /// [`Real::from_f64`](crate::Real::from_f64) says.
    ///
    /// # Panics
    /// If the length is another.
    pub fn store(self, values: &[f32]) {
        assert_eq!(values.len(), self.place.width, "one value per element");
        let to = self.place.run(self.row);
        // SAFETY: the row lies within the view, and its only `OutRow` is consumed here.
        unsafe {
            if to.dtype.is_block() {
                return encode(self.place.isa, values, to);
            }
            let from = Run { dtype: DType::F32, first: values.as_ptr().cast_mut().cast(), step: 1 };
            cast(self.place.isa, from, to, values.len());
        }
    }

    /// Lets `work` write the row as `f32`: in its place where it is gapless `f32`, otherwise in
    /// `buffer`, which must be as long. What it holds at first is unspecified.
    ///
    /// # Panics
    /// If the buffer is needed and its length is another.
    pub fn compute(self, buffer: &mut [f32], work: impl FnOnce(&mut [f32])) {
        if self.place.is_direct() {
            let first = self.place.run(self.row).first.cast();
            // SAFETY: gapless `f32` within the view, and its only `OutRow` is consumed here.
            work(unsafe { std::slice::from_raw_parts_mut(first, self.place.width) });
        } else {
            work(buffer);
            self.store(buffer);
        }
    }

    /// Replaces the row by row `row` of `rows`, which must be as long, rounded as
    /// [`OutRow::store`] does. Numbers that both dtypes have are never changed. `buffer` must be
    /// as long if either is of a block format.
    ///
    /// # Panics
    /// If there is no such row or a length is another.
    pub fn copy(self, rows: &Rows<'_>, row: usize, buffer: &mut [f32]) {
        assert_eq!(rows.width(), self.place.width, "rows as long as each other");
        let (from, to) = (rows.place.run(row), self.place.run(self.row));
        if from.dtype.is_block() || to.dtype.is_block() {
            if from.dtype == to.dtype {
                let blocks = self.place.width / to.dtype.block_len();
                // SAFETY: as below; rows of blocks are gapless.
                return unsafe { from.first.copy_to(to.first, blocks * to.dtype.block_bytes()) };
            }
            return self.compute(buffer, |buffer| rows.load(row, buffer));
        }
        // SAFETY: the input row lies within its view, and nobody writes to it but perhaps the
        // task that has this output row, in place; the output row's only `OutRow` is consumed.
        unsafe { cast(self.place.isa, from, to, self.place.width) };
    }

    /// Replaces all elements by `value`, rounded as [`OutRow::store`] does. Not for block formats.
    pub fn fill(self, value: f32) {
        let to = self.place.run(self.row);
        assert!(!to.dtype.is_block(), "elements, not blocks");
        // SAFETY: the row lies within the view, and its only `OutRow` is consumed here.
        unsafe { cast(self.place.isa, Run::constant(&value), to, self.place.width) };
    }

    /// Replaces element `i` by element `indices[i]` of row `row` of `rows`, rounded as
    /// [`OutRow::store`] does, or by `outside` if there is none. Not for block formats.
    ///
    /// # Panics
    /// If there is no such row or not one index per element.
    pub fn pick(self, rows: &Rows<'_>, row: usize, indices: &[u32], outside: f32) {
        let (from, to) = (rows.place.run(row), self.place.run(self.row));
        assert!(!from.dtype.is_block() && !to.dtype.is_block(), "elements, not blocks");
        assert_eq!(indices.len(), self.place.width, "one index per element");
        // SAFETY: as in `copy`; single elements of the rows are read and written.
        unsafe { pick(from, to, rows.width(), indices, outside) };
    }

    /// Replaces element `indices[i]` by element `i` of row `row` of `rows`, in order, rounded as
    /// [`OutRow::store`] does; where there is none, nothing. Not for block formats.
    ///
    /// # Panics
    /// If there is no such row or not one index per element of it.
    pub fn spread(self, rows: &Rows<'_>, row: usize, indices: &[u32]) {
        let (from, to) = (rows.place.run(row), self.place.run(self.row));
        assert!(!from.dtype.is_block() && !to.dtype.is_block(), "elements, not blocks");
        assert_eq!(indices.len(), rows.width(), "one index per element");
        // SAFETY: as in `copy`; single elements of the rows are read and written.
        unsafe { spread(from, to, self.place.width, indices) };
    }
}

impl Place {
    fn of(view: &View, isa: Isa) -> Place {
        // SAFETY: the offset of a view lies within its buffer.
        let first = unsafe { host(view).add(view.offset()) };
        let (shape, strides) = (view.shape(), view.strides());
        let leading = shape.rank().saturating_sub(1);
        Place {
            isa,
            dtype: view.dtype(),
            count: shape.rows(),
            width: shape.width(),
            layout: Layout::new(&shape[..leading], [&strides[..leading]]),
            step: strides.last().copied().unwrap_or(1),
            first,
        }
    }

    /// Where row `row` lies.
    ///
    /// # Panics
    /// If there is no such row.
    fn run(&self, row: usize) -> Run {
        assert!(row < self.count, "row {row} of {}", self.count);
        let [elements] = self.layout.offsets(row);
        let blocks = elements / self.dtype.block_len() as isize;
        let first = self.first.wrapping_offset(blocks * self.dtype.block_bytes() as isize);
        Run { dtype: self.dtype, first, step: self.step }
    }

    /// The cache lines of a row without gaps.
    fn lines(&self, row: usize) -> impl Iterator<Item = *const u8> {
        let first = self.run(row).first.cast_const();
        let blocks = self.width / self.dtype.block_len();
        let bytes = blocks * self.dtype.block_bytes();
        (0..bytes).step_by(64).map(move |at| first.wrapping_add(at))
    }

    fn is_direct(&self) -> bool {
        self.dtype == DType::F32 && (self.step == 1 || self.width <= 1)
    }
}
