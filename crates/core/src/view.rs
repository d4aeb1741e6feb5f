//! Strided windows on buffers. `movement` makes views of views.

mod complex;
mod movement;

use crate::{Buffer, DType, Error, MAX_RANK, Result, Shape, Slice, Strides};
use std::{fmt, ops::Range};

/// A buffer seen as an n-dimensional array: dtype, shape, strides and where it starts.
///
/// A view always lies within its buffer, at an address its dtype allows. Views of block formats
/// keep whole blocks: their last dimension is gapless and a multiple of the block length.
///
/// ```
/// use bessemer_core::View;
///
/// let device = bessemer_cpu::Reference::new();
/// let view = View::from_slice(&device, &[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let second_row = view.narrow(0, 1..2)?;
/// assert_eq!(second_row.to_vec::<i32>(&device)?, [4, 5, 6]);
/// assert!(view.buffer().is(second_row.buffer()));
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone)]
pub struct View {
    buffer: Buffer,
    dtype: DType,
    shape: Shape,
    strides: Strides,
    offset: usize,
}

/// Gapless runs of a view, all a multiple of `period` bytes apart (0: there is just one).
struct Runs {
    bytes: usize,
    period: usize,
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl View {
    /// The start of `buffer`, gapless.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let buffer = device.alloc(24)?;
    /// let view = View::new(&buffer, DType::F32, Shape::new(&[2, 3])?)?;
    /// assert_eq!(view.range(), 0..24);
    /// assert!(View::new(&buffer, DType::F32, Shape::new(&[2, 4])?).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn new(buffer: &Buffer, dtype: DType, shape: Shape) -> Result<View> {
        View::at(buffer, dtype, shape, shape.strides(), 0)
    }

    /// Any window of `buffer`: strides in elements, offset in bytes.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// // Every second element of eight, from the last on.
    /// let buffer = device.alloc(32)?;
    /// let (shape, strides) = (Shape::new(&[4])?, Strides::new(&[-2])?);
    /// let view = View::at(&buffer, DType::F32, shape, strides, 28)?;
    /// assert_eq!(view.range(), 4..32);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn at(
        buffer: &Buffer,
        dtype: DType,
        shape: Shape,
        strides: Strides,
        offset: usize,
    ) -> Result<View> {
        let refuse = |why: String| {
            Err(Error::view(format!(
                "view: {why} ({dtype} {shape}, strides {strides:?}, at byte {offset} of {buffer:?})"
            )))
        };
        if strides.len() != shape.rank() {
            return refuse(format!(
                "{} strides are given for {} dimensions",
                strides.len(),
                shape.rank()
            ));
        }
        // So that what is computed of sizes and strides later can't overflow, even where a size of 0
        // or 1 means that the stride is never taken.
        let counted = |(&size, &step): (&usize, &isize)| {
            let bytes = isize::try_from(size.max(1)).ok()?.checked_mul(step)?;
            bytes.checked_mul(dtype.block_bytes() as isize)
        };
        if shape.iter().zip(&*strides).any(|of_axis| counted(of_axis).is_none()) {
            return refuse("a stride is too large".into());
        }
        if !offset.is_multiple_of(dtype.alignment()) {
            return refuse(format!("the offset is not a multiple of {}", dtype.alignment()));
        }
        if dtype.is_block() {
            let block = dtype.block_len();
            let leading = shape.rank().saturating_sub(1);
            if !shape.width().is_multiple_of(block) || shape.rank() == 0 {
                return refuse(format!("rows are not whole blocks of {block}"));
            }
            let at_blocks =
                strides[..leading].iter().all(|s| s.unsigned_abs().is_multiple_of(block));
            // Strides of nothing mean nothing.
            if shape.elements() > 0 && !(strides[leading] == 1 && at_blocks) {
                return refuse(format!("rows have gaps, or do not start at blocks of {block}"));
            }
        }
        let view = View { buffer: buffer.clone(), dtype, shape, strides, offset };
        match view.span() {
            Some(span) if span.end <= buffer.bytes() => Ok(view),
            Some(span) => refuse(format!("it ends at byte {}, after the buffer", span.end)),
            None => refuse("it starts before the buffer or is too large".into()),
        }
    }

    /// The buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// How elements are stored.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The steps between neighbours, in elements.
    pub fn strides(&self) -> &Strides {
        &self.strides
    }

    /// Where the first element lies, in bytes of the buffer.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.shape.elements()
    }

    /// Whether elements follow each other without a gap, in order.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2, 3])?;
    /// assert!(view.is_contiguous());
    /// assert!(!view.transpose()?.is_contiguous());
    /// assert!(view.narrow(0, 1..2)?.is_contiguous());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        for (&size, &stride) in self.shape.iter().zip(&*self.strides).rev() {
            if size != 1 && stride != step {
                return self.elements() == 0;
            }
            step *= size as isize;
        }
        true
    }

    /// Whether elements of the last dimension follow each other without a gap.
    pub fn has_contiguous_rows(&self) -> bool {
        self.shape.width() == 1 || self.strides.last().is_none_or(|&stride| stride == 1)
    }

    /// The bytes of the buffer from the first to the last one touched.
    pub fn range(&self) -> Range<usize> {
        self.span().expect("a view lies within its buffer")
    }

    /// Elements from its lowest byte to its first element: 0 unless a stride is negative.
    pub fn lead(&self) -> usize {
        let bytes = self.offset - self.range().start;
        bytes / self.dtype.block_bytes() * self.dtype.block_len()
    }

    /// The bytes of the elements it has in store: those that strides of 0 repeat count once.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let row = View::alloc(&device, DType::F32, &[1, 3])?;
    /// let repeated = row.broadcast_to(Shape::new(&[100, 3])?)?;
    /// assert_eq!((repeated.elements(), repeated.stored_bytes()), (300, 12));
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn stored_bytes(&self) -> usize {
        let stored = self.shape.iter().zip(&*self.strides);
        let elements = stored.map(|(&size, &step)| if step == 0 { size.min(1) } else { size });
        let elements: usize = elements.product();
        elements / self.dtype.block_len() * self.dtype.block_bytes()
    }

    /// The bytes of a gapless view, to be copied in or out.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2])?;
    /// device.write(&view.slice()?, f32::as_bytes(&[1.0, 2.0]))?;
    /// let mut values = [0.0f32; 2];
    /// device.read(&view.slice()?, f32::as_bytes_mut(&mut values))?;
    /// assert_eq!(values, [1.0, 2.0]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn slice(&self) -> Result<Slice> {
        if !self.is_contiguous() {
            return Err(Error::view(format!("slice: the view has gaps; copy it first ({self:?})")));
        }
        Slice::new(&self.buffer, self.range())
    }

    /// Whether some element is there more than once.
    pub(crate) fn repeats_elements(&self) -> bool {
        // Exact for what slicing, permuting and broadcasting make: sorted by step, each dimension
        // must step over all that the smaller ones reach.
        if self.elements() == 0 {
            return false;
        }
        let mut axes = [(0usize, 0usize); MAX_RANK];
        let mut rank = 0;
        for (&size, &step) in self.shape.iter().zip(&*self.strides) {
            if size > 1 {
                axes[rank] = (step.unsigned_abs(), size);
                rank += 1;
            }
        }
        let axes = &mut axes[..rank];
        axes.sort_unstable();
        let mut reach = 0;
        for &(step, size) in axes.iter() {
            if step <= reach {
                return true;
            }
            reach += step * (size - 1);
        }
        false
    }

    /// Whether both may touch the same byte. Views that interleave without touching count as
    /// overlapping.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[4, 4])?;
    /// let (top, bottom) = (view.narrow(0, 0..2)?, view.narrow(0, 2..4)?);
    /// assert!(top.overlaps(&view));
    /// assert!(!top.overlaps(&bottom));
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn overlaps(&self, other: &View) -> bool {
        if !self.buffer.is(&other.buffer) || self.elements() == 0 || other.elements() == 0 {
            return false;
        }
        let (a, b) = (self.range(), other.range());
        a.start < b.end && b.start < a.end
    }

    /// Whether both are certain to touch no common byte since they lie side by side, as columns of
    /// one matrix do.
    pub fn is_beside(&self, other: &View) -> bool {
        // All gapless runs start at a multiple of `period` from the first, so each view stays
        // within one window of every period.
        let (mine, others) = (self.runs(), other.runs());
        let period = gcd(mine.period, others.period);
        if !self.buffer.is(&other.buffer) || period == 0 {
            return false;
        }
        let apart = (other.offset as isize - self.offset as isize).rem_euclid(period as isize);
        let apart = apart as usize;
        apart >= mine.bytes && period - apart >= others.bytes
    }

    /// The gapless runs that a view is made of.
    fn runs(&self) -> Runs {
        let (len, bytes) = (self.dtype.block_len(), self.dtype.block_bytes());
        let last = self.shape.rank().saturating_sub(1);
        let gapless = self.strides.get(last) == Some(&1);
        let steps = self.shape.iter().zip(&*self.strides).enumerate();
        let steps = steps.filter(|&(axis, (&size, _))| size > 1 && !(gapless && axis == last));
        let steps = steps.map(|(_, (_, step))| step.unsigned_abs() / len * bytes);
        let width = if gapless { self.shape.width() / len } else { 1 };
        Runs { bytes: width * bytes, period: steps.fold(0, gcd) }
    }

    /// Whether both are the very same elements in the same order.
    pub fn is_same_place(&self, other: &View) -> bool {
        self.buffer.is(&other.buffer)
            && self.offset == other.offset
            && self.dtype.block_bytes() == other.dtype.block_bytes()
            && self.dtype.block_len() == other.dtype.block_len()
            && self.shape == other.shape
            && self
                .shape
                .iter()
                .zip(self.strides.iter().zip(&*other.strides))
                .all(|(&size, (a, b))| size <= 1 || a == b)
    }

    fn span(&self) -> Option<Range<usize>> {
        if self.elements() == 0 {
            return Some(self.offset..self.offset);
        }
        let (mut low, mut high) = (0isize, 0isize);
        for (&size, &step) in self.shape.iter().zip(&*self.strides) {
            let reach = step.checked_mul(size as isize - 1)?;
            if reach < 0 {
                low = low.checked_add(reach)?;
            } else {
                high = high.checked_add(reach)?;
            }
        }
        // Rows of block formats start at blocks, so only the last element can be inside one.
        let block = self.dtype.block_len() as isize;
        let bytes = self.dtype.block_bytes() as isize;
        let start = isize::try_from(self.offset).ok()?;
        let first = start.checked_add((low / block).checked_mul(bytes)?)?;
        let end = start.checked_add((high / block).checked_add(1)?.checked_mul(bytes)?)?;
        Some(usize::try_from(first).ok()?..usize::try_from(end).ok()?)
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.dtype, self.shape)?;
        if !self.is_contiguous() {
            write!(f, " strides {:?}", self.strides)?;
        }
        write!(f, " at byte {} of buffer {}", self.offset, self.buffer.id())
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
