//! Strided windows on buffers.

use crate::{Buffer, DType, Error, MAX_RANK, Result, Shape, Slice, Strides};
use std::{fmt, ops::Range};

/// A buffer seen as an n-dimensional array: dtype, shape, strides and where it starts.
///
/// A view always lies within its buffer, at an address its dtype allows. Views of block formats
/// keep whole blocks: their last dimension is gapless and a multiple of the block length.
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
    pub fn new(buffer: &Buffer, dtype: DType, shape: Shape) -> Result<View> {
        View::at(buffer, dtype, shape, shape.strides(), 0)
    }

    /// Any window of `buffer`: strides in elements, offset in bytes.
    pub fn at(
        buffer: &Buffer,
        dtype: DType,
        shape: Shape,
        strides: Strides,
        offset: usize,
    ) -> Result<View> {
        let refuse = |why: String| {
            Err(Error::view(format!(
                "view {dtype} {shape} with strides {strides:?} at byte {offset} of {buffer:?}: {why}"
            )))
        };
        if strides.len() != shape.rank() {
            return refuse("as many strides as dimensions are needed".into());
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
            return refuse(format!("the offset must be a multiple of {}", dtype.alignment()));
        }
        if dtype.is_block() {
            let block = dtype.block_len();
            let leading = shape.rank().saturating_sub(1);
            if !shape.width().is_multiple_of(block) || shape.rank() == 0 {
                return refuse(format!("rows must be whole blocks of {block}"));
            }
            let at_blocks =
                strides[..leading].iter().all(|s| s.unsigned_abs().is_multiple_of(block));
            // Strides of nothing mean nothing.
            if shape.elements() > 0 && !(strides[leading] == 1 && at_blocks) {
                return refuse(format!("rows must be gapless and start at blocks of {block}"));
            }
        }
        let view = View { buffer: buffer.clone(), dtype, shape, strides, offset };
        match view.span() {
            Some(span) if span.end <= buffer.bytes() => Ok(view),
            Some(span) => refuse(format!("it ends at byte {}", span.end)),
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
    pub fn stored_bytes(&self) -> usize {
        let stored = self.shape.iter().zip(&*self.strides);
        let elements = stored.map(|(&size, &step)| if step == 0 { size.min(1) } else { size });
        let elements: usize = elements.product();
        elements / self.dtype.block_len() * self.dtype.block_bytes()
    }

    /// The bytes of a gapless view, to be copied in or out.
    pub fn slice(&self) -> Result<Slice> {
        if !self.is_contiguous() {
            return Err(Error::view(format!("{self:?} has gaps; copy it first")));
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
    pub fn narrow(&self, axis: usize, range: Range<usize>) -> Result<View> {
        self.axis(axis)?;
        if range.start > range.end || range.end > self.shape[axis] {
            return Err(Error::view(format!(
                "elements {}..{} do not lie within dimension {axis} of {self:?}",
                range.start, range.end
            )));
        }
        self.step(axis, range.start as isize, range.len(), 1)
    }

    /// `count` elements of `axis` from `start` on, `step` apart; a negative step runs backwards.
    pub fn step(&self, axis: usize, start: isize, count: usize, step: isize) -> Result<View> {
        self.axis(axis)?;
        let size = self.shape[axis] as isize;
        let last = isize::try_from(count)
            .ok()
            .and_then(|count| step.checked_mul((count - 1).max(0))?.checked_add(start));
        let inside = |at: isize| (0..size).contains(&at);
        if count > 0 && !(inside(start) && last.is_some_and(inside)) {
            return Err(Error::view(format!(
                "{count} elements from {start} in steps of {step} do not lie within dimension \
                 {axis} of {self:?}"
            )));
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
            return Err(Error::view(format!(
                "element {start} of dimension {axis} is inside a block of {self:?}"
            )));
        }
        let skipped = skipped / self.dtype.block_len() as isize * self.dtype.block_bytes() as isize;
        // Within the buffer, as `start` is within the view.
        let offset = self.offset.wrapping_add_signed(skipped);
        self.derive(&shape, &strides, offset)
    }

    /// The dimensions in another order: dimension `i` of the result is `axes[i]` of this one.
    pub fn permute(&self, axes: &[usize]) -> Result<View> {
        let rank = self.shape.rank();
        let mut seen = [false; MAX_RANK];
        let fits = axes.len() == rank
            && axes.iter().all(|&axis| axis < rank && !std::mem::replace(&mut seen[axis], true));
        if !fits {
            return Err(Error::view(format!(
                "axes {axes:?} do not name each dimension of {self:?} once"
            )));
        }
        let (mut shape, mut strides) = (*self.dims(), *self.steps());
        for (to, &from) in axes.iter().enumerate() {
            shape[to] = self.shape[from];
            strides[to] = self.strides[from];
        }
        self.derive(&shape, &strides, self.offset)
    }

    /// The last two dimensions swapped.
    pub fn transpose(&self) -> Result<View> {
        let rank = self.shape.rank();
        if rank < 2 {
            return Err(Error::view(format!("{self:?} has no two dimensions to swap")));
        }
        let mut axes = [0, 1, 2, 3, 4, 5, 6, 7];
        axes.swap(rank - 1, rank - 2);
        self.permute(&axes[..rank])
    }

    /// Repeated to `shape` by NumPy's rule, without a copy.
    pub fn broadcast_to(&self, shape: Shape) -> Result<View> {
        if self.shape == shape {
            return Ok(self.clone());
        }
        if self.shape.broadcast(&shape)? != shape {
            return Err(Error::view(format!("{self:?} does not broadcast to {shape}")));
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
    pub fn reshape(&self, shape: Shape) -> Result<Option<View>> {
        if shape.elements() != self.elements() {
            return Err(Error::view(format!(
                "{self:?} has {} elements, shape {shape} has {}",
                self.elements(),
                shape.elements()
            )));
        }
        let Some(strides) = reshape_strides(&self.shape, &self.strides, &shape) else {
            return Ok(None);
        };
        View::at(&self.buffer, self.dtype, shape, strides, self.offset).map(Some)
    }

    /// A new dimension of size 1 before `axis`.
    pub fn unsqueeze(&self, axis: usize) -> Result<View> {
        let rank = self.shape.rank();
        if axis > rank || rank == MAX_RANK {
            return Err(Error::view(format!("{self:?} can have no new dimension {axis}")));
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
    pub fn squeeze(&self, axis: usize) -> Result<View> {
        self.axis(axis)?;
        if self.shape[axis] != 1 {
            return Err(Error::view(format!("dimension {axis} of {self:?} is not of size 1")));
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
    pub fn reinterpret(&self, dtype: DType) -> Result<View> {
        if dtype.block_bytes() != self.dtype.block_bytes()
            || dtype.is_block()
            || self.dtype.is_block()
        {
            return Err(Error::view(format!("{self:?} can't be read as {dtype}: other sizes")));
        }
        View::at(&self.buffer, dtype, self.shape, self.strides, self.offset)
    }

    fn axis(&self, axis: usize) -> Result<()> {
        if axis >= self.shape.rank() {
            return Err(Error::view(format!("{self:?} has no dimension {axis}")));
        }
        Ok(())
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
