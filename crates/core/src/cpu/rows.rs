//! The operands of an op as rows of `f32`, whatever their dtype and strides.

use super::{CpuContext, operands::host};
use crate::{DType, Element, Shape, Strides, View, blocks, host::contains, walk::row_offset};
use half::{bf16, f16, slice::HalfFloatSliceExt};

/// The rows (last dimension) of an input, copied out one at a time as `f32`. Works for every
/// dtype and any strides, and on views the op also writes.
pub struct Rows<'a> {
    place: Place,
    context: std::marker::PhantomData<&'a ()>,
}

/// One row of an output, for the one task that has it.
pub struct OutRow<'a> {
    place: &'a Place,
    row: usize,
}

/// Where rows lie.
struct Place {
    dtype: DType,
    shape: Shape,
    strides: Strides,
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
        Rows { place: Place::of(view), context: std::marker::PhantomData }
    }

    /// Calls `work` with each row of an output and its number, on all threads, at least `grain`
    /// rows at a time.
    ///
    /// # Panics
    /// If the op's `access` does not name it as written, or it is of a block format.
    pub fn for_each_row(&self, view: &View, grain: usize, work: impl Fn(usize, OutRow<'_>) + Sync) {
        let named = self.access.writes.iter().any(|v| contains(v, view));
        assert!(named, "writes {view:?}, which its access does not name");
        assert!(!view.dtype().is_block(), "{view:?}");
        let place = Place::of(view);
        self.split(view.shape().rows(), grain, |rows| {
            for row in rows {
                work(row, OutRow { place: &place, row });
            }
        });
    }
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.place.shape.rows()
    }

    /// The length of a row.
    pub fn width(&self) -> usize {
        self.place.shape.width()
    }

    /// Copies row `row` to `out`, which must be as long.
    ///
    /// # Panics
    /// If there is no such row or the length is another.
    pub fn load(&self, row: usize, out: &mut [f32]) {
        assert!(row < self.count() && out.len() == self.width(), "row {row} of {}", self.count());
        let Place { dtype, .. } = self.place;
        // SAFETY: the row lies within the view; nobody writes to it meanwhile but the task that
        // this row is for, as `CpuContext::new` asks.
        unsafe {
            match dtype {
                DType::F32 => {
                    self.copy::<f32>(row, out, |from, to| to.copy_from_slice(from), |x| x)
                }
                DType::F16 => self.copy::<f16>(
                    row,
                    out,
                    |from, to| from.convert_to_f32_slice(to),
                    f16::to_f32,
                ),
                DType::BF16 => self.copy::<bf16>(
                    row,
                    out,
                    |from, to| from.convert_to_f32_slice(to),
                    bf16::to_f32,
                ),
                DType::I32 => self.copy_each::<i32>(row, out, |x| x as f32),
                DType::U32 => self.copy_each::<u32>(row, out, |x| x as f32),
                DType::U8 => self.copy_each::<u8>(row, out, f32::from),
                DType::Bool => self.copy_each::<u8>(row, out, |x| f32::from(u8::from(x != 0))),
                _ => {
                    let bytes = out.len() / dtype.block_len() * dtype.block_bytes();
                    let row = std::slice::from_raw_parts(self.place.row(row), bytes);
                    blocks::decode(dtype, row, out);
                }
            }
        }
    }

    /// # Safety
    /// As in [`Rows::load`], for elements of type `T`.
    unsafe fn copy<T: Element>(
        &self,
        row: usize,
        out: &mut [f32],
        all: impl Fn(&[T], &mut [f32]),
        each: impl Fn(T) -> f32,
    ) {
        let first = self.place.row(row).cast::<T>();
        if self.place.step() == 1 {
            // SAFETY: a gapless row of the view.
            all(unsafe { std::slice::from_raw_parts(first, out.len()) }, out);
        } else {
            // SAFETY: as the caller promises.
            unsafe { self.copy_each(row, out, each) };
        }
    }

    /// # Safety
    /// As in [`Rows::load`], for elements of type `T`.
    unsafe fn copy_each<T: Element>(&self, row: usize, out: &mut [f32], each: impl Fn(T) -> f32) {
        let first = self.place.row(row).cast::<T>();
        let step = self.place.step();
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: an element of the row.
            *out = each(unsafe { *first.offset(i as isize * step) });
        }
    }
}

impl OutRow<'_> {
    /// Replaces the row by `values`, rounded to its dtype as [`Element::from_f64`] says.
    ///
    /// # Panics
    /// If the length is another.
    pub fn store(self, values: &[f32]) {
        assert_eq!(values.len(), self.place.shape.width(), "one value per element");
        // SAFETY: the row lies within the view, and its only `OutRow` is consumed here.
        unsafe {
            match self.place.dtype {
                DType::F32 => self.put::<f32>(values, |from, to| to.copy_from_slice(from), |x| x),
                DType::F16 => self.put::<f16>(
                    values,
                    |from, to| to.convert_from_f32_slice(from),
                    f16::from_f32,
                ),
                DType::BF16 => self.put::<bf16>(
                    values,
                    |from, to| to.convert_from_f32_slice(from),
                    bf16::from_f32,
                ),
                DType::I32 => self.put_each::<i32>(values, |x| x as i32),
                DType::U32 => self.put_each::<u32>(values, |x| x as u32),
                DType::U8 => self.put_each::<u8>(values, |x| x as u8),
                _ => self.put_each::<u8>(values, |x| u8::from(x != 0.0)),
            }
        }
    }

    /// # Safety
    /// The elements must be of type `T`.
    unsafe fn put<T: Element>(
        &self,
        values: &[f32],
        all: impl Fn(&[f32], &mut [T]),
        each: impl Fn(f32) -> T,
    ) {
        let first = self.place.row(self.row).cast::<T>();
        if self.place.step() == 1 {
            // SAFETY: a gapless row of the view that no other task has.
            all(values, unsafe { std::slice::from_raw_parts_mut(first, values.len()) });
        } else {
            // SAFETY: as the caller promises.
            unsafe { self.put_each(values, each) };
        }
    }

    /// # Safety
    /// The elements must be of type `T`.
    unsafe fn put_each<T: Element>(&self, values: &[f32], each: impl Fn(f32) -> T) {
        let first = self.place.row(self.row).cast::<T>();
        for (i, &value) in values.iter().enumerate() {
            // SAFETY: an element of the row, which no other task has.
            unsafe { *first.offset(i as isize * self.place.step()) = each(value) };
        }
    }
}

impl Place {
    fn of(view: &View) -> Place {
        // SAFETY: the offset of a view lies within its buffer.
        let first = unsafe { host(view).add(view.offset()) };
        Place { dtype: view.dtype(), shape: *view.shape(), strides: *view.strides(), first }
    }

    /// The address of the first element of a row.
    fn row(&self, row: usize) -> *mut u8 {
        let elements = row_offset(&self.shape, &self.strides, row);
        let blocks = elements / self.dtype.block_len() as isize;
        self.first.wrapping_offset(blocks * self.dtype.block_bytes() as isize)
    }

    fn step(&self) -> isize {
        self.strides.last().copied().unwrap_or(1)
    }
}
