//! Strided windows on buffers.

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

/// Other views of the same elements.
impl View {
    /// Elements `range` of `axis`.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::from_slice(&device, &[1, 2, 3, 4, 5, 6], &[3, 2])?;
    /// assert_eq!(view.narrow(0, 1..3)?.to_vec::<i32>(&device)?, [3, 4, 5, 6]);
    /// assert!(view.narrow(0, 2..4).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn narrow(&self, axis: usize, range: Range<usize>) -> Result<View> {
        self.axis("narrow", axis)?;
        if range.start > range.end || range.end > self.shape[axis] {
            let (start, end, size) = (range.start, range.end, self.shape[axis]);
            let why = format!("elements {start}..{end} are out of range for size {size}");
            return Err(self.refuse("narrow", format!("{why} of axis {axis}")));
        }
        self.step(axis, range.start as isize, range.len(), 1)
    }

    /// `count` elements of `axis` from `start` on, `step` apart; a negative step runs backwards.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[10])?;
    /// let odd = view.step(0, 1, 5, 2)?;
    /// assert_eq!((odd.shape()[0], odd.strides()[0], odd.offset()), (5, 2, 4));
    /// let backwards = view.step(0, 9, 10, -1)?;
    /// assert_eq!(backwards.strides()[0], -1);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn step(&self, axis: usize, start: isize, count: usize, step: isize) -> Result<View> {
        self.axis("step", axis)?;
        let size = self.shape[axis] as isize;
        let last = isize::try_from(count)
            .ok()
            .and_then(|count| step.checked_mul((count - 1).max(0))?.checked_add(start));
        let inside = |at: isize| (0..size).contains(&at);
        if count > 0 && !(inside(start) && last.is_some_and(inside)) {
            let why = format!(
                "{count} elements from {start} in steps of {step} are out of range for size {size}"
            );
            return Err(self.refuse("step", format!("{why} of axis {axis}")));
        }
        let mut shape = *self.dims();
        let mut strides = *self.steps();
        shape[axis] = count;
        if count > 1 {
            // Within the view, as the last element is.
            strides[axis] *= step;
        }
        // An empty view has no room to move in.
        let empty = count == 0 || self.elements() == 0;
        let skipped = if empty { 0 } else { start * self.strides[axis] };
        if self.dtype.is_block() && !skipped.unsigned_abs().is_multiple_of(self.dtype.block_len()) {
            let block = self.dtype.block_len();
            let why = format!("element {start} of axis {axis} is inside a block of {block}");
            return Err(self.refuse("step", why));
        }
        let skipped = skipped / self.dtype.block_len() as isize * self.dtype.block_bytes() as isize;
        // Within the buffer, as `start` is within the view.
        let offset = self.offset.wrapping_add_signed(skipped);
        self.derive(&shape, &strides, offset)
    }

    /// The dimensions in another order: dimension `i` of the result is `axes[i]` of this one.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2, 3, 4])?;
    /// let permuted = view.permute(&[2, 0, 1])?;
    /// assert_eq!(**permuted.shape(), [4, 2, 3]);
    /// assert_eq!(**permuted.strides(), [1, 12, 4]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn permute(&self, axes: &[usize]) -> Result<View> {
        let rank = self.shape.rank();
        let mut seen = [false; MAX_RANK];
        let fits = axes.len() == rank
            && axes.iter().all(|&axis| axis < rank && !std::mem::replace(&mut seen[axis], true));
        if !fits {
            let why = format!("axes {axes:?} do not name each dimension exactly once");
            return Err(self.refuse("permute", why));
        }
        let (mut shape, mut strides) = (*self.dims(), *self.steps());
        for (to, &from) in axes.iter().enumerate() {
            shape[to] = self.shape[from];
            strides[to] = self.strides[from];
        }
        self.derive(&shape, &strides, self.offset)
    }

    /// The last two dimensions swapped.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[5, 2, 3])?;
    /// assert_eq!(**view.transpose()?.shape(), [5, 3, 2]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn transpose(&self) -> Result<View> {
        let rank = self.shape.rank();
        if rank < 2 {
            return Err(self.refuse(
                "transpose",
                format!("the view has rank {rank}, but must have at least 2"),
            ));
        }
        let mut axes = [0, 1, 2, 3, 4, 5, 6, 7];
        axes.swap(rank - 1, rank - 2);
        self.permute(&axes[..rank])
    }

    /// Repeated to `shape` by NumPy's rule, without a copy.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let row = View::alloc(&device, DType::F32, &[3])?;
    /// let matrix = row.broadcast_to(Shape::new(&[2, 3])?)?;
    /// assert_eq!(**matrix.strides(), [0, 1]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: Shape) -> Result<View> {
        if self.shape == shape {
            return Ok(self.clone());
        }
        if self.shape.broadcast(&shape)? != shape {
            return Err(self
                .refuse("broadcast_to", format!("{} does not broadcast to {shape}", self.shape)));
        }
        let mut strides = [0; MAX_RANK];
        let added = shape.rank() - self.shape.rank();
        for axis in 0..self.shape.rank() {
            let repeats = self.shape[axis] == 1 && shape[axis + added] != 1;
            strides[axis + added] = if repeats { 0 } else { self.strides[axis] };
        }
        let strides = Strides::new(&strides[..shape.rank()])?;
        View::at(&self.buffer, self.dtype, shape, strides, self.offset)
    }

    /// The same elements in another shape; `None` if that needs a copy.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2, 6])?;
    /// let shape = Shape::new(&[3, 4])?;
    /// assert!(view.reshape(shape)?.is_some());
    /// assert!(view.transpose()?.reshape(shape)?.is_none());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn reshape(&self, shape: Shape) -> Result<Option<View>> {
        if shape.elements() != self.elements() {
            let (here, there) = (self.elements(), shape.elements());
            let why = format!("the view has {here} elements, but shape {shape} has {there}");
            return Err(self.refuse("reshape", why));
        }
        let Some(strides) = reshape_strides(&self.shape, &self.strides, &shape) else {
            return Ok(None);
        };
        View::at(&self.buffer, self.dtype, shape, strides, self.offset).map(Some)
    }

    /// A new dimension of size 1 before `axis`.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2, 3])?;
    /// assert_eq!(**view.unsqueeze(1)?.shape(), [2, 1, 3]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn unsqueeze(&self, axis: usize) -> Result<View> {
        let rank = self.shape.rank();
        if axis > rank || rank == MAX_RANK {
            return Err(self.refuse(
                "unsqueeze",
                format!(
                    "axis {axis} is out of range, or the view has {MAX_RANK} dimensions already"
                ),
            ));
        }
        let (mut shape, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        shape.insert(axis, 1);
        strides.insert(axis, if axis == rank { 1 } else { 0 });
        View::at(
            &self.buffer,
            self.dtype,
            Shape::new(&shape)?,
            Strides::new(&strides)?,
            self.offset,
        )
    }

    /// Without dimension `axis`, which must be of size 1.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::alloc(&device, DType::F32, &[2, 1, 3])?;
    /// assert_eq!(**view.squeeze(1)?.shape(), [2, 3]);
    /// assert!(view.squeeze(0).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn squeeze(&self, axis: usize) -> Result<View> {
        self.axis("squeeze", axis)?;
        if self.shape[axis] != 1 {
            let why = format!("axis {axis} has size {}, not 1", self.shape[axis]);
            return Err(self.refuse("squeeze", why));
        }
        let (mut shape, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        shape.remove(axis);
        strides.remove(axis);
        View::at(
            &self.buffer,
            self.dtype,
            Shape::new(&shape)?,
            Strides::new(&strides)?,
            self.offset,
        )
    }

    /// The same bytes as another dtype with elements of the same size.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let view = View::from_slice(&device, &[1.0f32], &[1])?;
    /// let bits = view.reinterpret(DType::U32)?;
    /// assert_eq!(bits.to_vec::<u32>(&device)?, [0x3f80_0000]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn reinterpret(&self, dtype: DType) -> Result<View> {
        if dtype.block_bytes() != self.dtype.block_bytes()
            || dtype.is_block()
            || self.dtype.is_block()
        {
            return Err(self.refuse(
                "reinterpret",
                format!("elements of {} and {dtype} differ in size, or are blocks", self.dtype),
            ));
        }
        View::at(&self.buffer, dtype, self.shape, self.strides, self.offset)
    }

    fn axis(&self, op: &str, axis: usize) -> Result<()> {
        let rank = self.shape.rank();
        if axis >= rank {
            let why = format!("axis {axis} is out of range for a view of rank {rank}");
            return Err(self.refuse(op, why));
        }
        Ok(())
    }

    /// Why `op` cannot be, with the view it was asked of.
    fn refuse(&self, op: &str, why: String) -> Error {
        Error::view(format!("{op}: {why} (view: {self:?})"))
    }

    fn dims(&self) -> &[usize; MAX_RANK] {
        self.shape.padded()
    }

    fn steps(&self) -> &[isize; MAX_RANK] {
        self.strides.padded()
    }

    fn derive(&self, shape: &[usize], strides: &[isize], offset: usize) -> Result<View> {
        let rank = self.shape.rank();
        let (shape, strides) = (Shape::new(&shape[..rank])?, Strides::new(&strides[..rank])?);
        View::at(&self.buffer, self.dtype, shape, strides, offset)
    }
}

/// Strides that give the same order of elements in another shape, if there are any: each run of
/// dimensions of one shape that multiplies to the same size in the other must be gapless.
fn reshape_strides(from: &Shape, steps: &Strides, to: &Shape) -> Option<Strides> {
    if from.elements() == 0 {
        return Some(to.strides());
    }
    let mut result = [0isize; MAX_RANK];
    let old: Vec<(usize, isize)> = from
        .iter()
        .zip(&**steps)
        .filter(|(size, _)| **size != 1)
        .map(|(&size, &step)| (size, step))
        .collect();
    let (mut i, mut j) = (0, 0);
    while i < old.len() {
        // One run: old[i..k] against to[j..l].
        let (mut k, mut l) = (i + 1, j);
        let mut old_size = old[i].0;
        let mut new_size = 1;
        while new_size != old_size || l == j {
            if new_size < old_size || l == j {
                new_size *= to[l];
                l += 1;
            } else {
                old_size *= old[k].0;
                k += 1;
            }
        }
        if old[i..k].windows(2).any(|w| w[0].1 != w[1].1 * w[1].0 as isize) {
            return None;
        }
        let mut step = old[k - 1].1;
        for axis in (j..l).rev() {
            result[axis] = step;
            step *= to[axis] as isize;
        }
        (i, j) = (k, l);
    }
    let tail = if j == 0 { 1 } else { result[j - 1] };
    result[j..to.rank()].fill(tail);
    Strides::new(&result[..to.rank()]).ok()
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
