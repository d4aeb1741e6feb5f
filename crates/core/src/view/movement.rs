//! Views of views: parts, other orders, other shapes. Nothing is copied.

use super::View;
use crate::{DType, Error, MAX_RANK, Result, Shape, Strides};
use std::ops::Range;

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
