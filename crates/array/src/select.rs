//! What a mask selects: elements, rows and places. How many they are is only known when the mask is, so it
//! is evaluated here. Indexing by several arrays is in `advanced`.

use crate::{Array, Axes, Error, Result, call::Call, node::Kind};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::Compact;
use smallvec::smallvec;
use std::sync::Arc;

/// Rows that a mask selects, or their numbers if only the mask is given.
struct Selecting;

impl Call for Selecting {
    fn name(&self) -> &'static str {
        "select"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let (mask, x) = match inputs {
            [mask] => (mask, None),
            [mask, x] => (mask, Some(x.clone())),
            _ => return Err(bessemer_core::Error::view("a selection has one or two inputs")),
        };
        batch.push(Compact { mask: mask.clone(), x, out: out.clone() })
    }
}

/// Selection by masks: arrays of which every element that is not 0 counts as true.
impl Array {
    /// How many elements along `axes` are not 0, as `i64`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 0, 2], [0, 0, 3]])?;
    /// assert_eq!(a.count_nonzero(1).to_vec::<i64>()?, [2, 1]);
    /// assert_eq!(a.count_nonzero(..).item::<i64>()?, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn count_nonzero(&self, axes: impl Axes) -> Array {
        self.cast(DType::Bool).sum(axes)
    }

    /// The elements, or sub-arrays, where `mask` is true, in order: NumPy's `a[mask]`. The mask has the
    /// shape of the first dimensions of the array, and those become one; a mask of rank 0 selects all of the
    /// array or nothing along a new first dimension.
    ///
    /// This evaluates the mask, to know the size of the result.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4], [5, 6]])?;
    /// assert_eq!(a.select(&a.gt(2)).to_vec::<i32>()?, [3, 4, 5, 6]);
    /// let rows = Array::new(&device, [true, false, true])?;
    /// assert_eq!(a.select(&rows).to_string(), "[[1 2]\n [5 6]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn select(&self, mask: &Array) -> Array {
        const OP: &str = "select";
        let named = [("array", self), ("mask", mask)];
        Array::build(OP, &named, || {
            let rank = mask.rank();
            if rank == 0 {
                // As in NumPy, all or nothing along a new first dimension.
                return self.expand_dims(0).select(&mask.flatten()).check().cloned();
            }
            if rank > self.rank() || !mask_fits(mask, &self.shape()[..rank]) {
                let rule = format!(
                    "the mask has shape {}, but must have that of the first dimensions of the array, {}",
                    mask.shape(),
                    self.shape()
                );
                return Err(Error::rule(OP, rule, &named));
            }
            if mask.elements() == 0 {
                let dims = [&[0], &self.shape()[rank..]].concat();
                return Ok(self.filled(Shape::new(&dims)?, 0));
            }
            let (mask, count) = counted(mask)?;
            let inner: usize = self.shape()[rank..].iter().product();
            let x = self.reshape_to(Shape::new(&[mask.elements(), inner])?)?;
            let shape = Shape::new(&[count, inner])?;
            let kind = Kind::Call(Arc::new(Selecting));
            let selected = Array::lazy(self.dtype(), shape, kind, smallvec![mask, x]);
            let dims = [&[count], &self.shape()[rank..]].concat();
            selected.reshape_to(Shape::new(&dims)?)
        })
    }

    /// Where the elements are that are not 0: for each dimension an array of their indices, as `i64`, in
    /// row-major order. This evaluates the array.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[0, 7, 0], [8, 0, 9]])?;
    /// let places = a.nonzero()?;
    /// assert_eq!(places[0].to_vec::<i64>()?, [0, 1, 1]);
    /// assert_eq!(places[1].to_vec::<i64>()?, [1, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<Vec<Array>> {
        self.check()?;
        if self.rank() == 0 {
            let rule = "an array of rank 0 has no indices; reshape it first";
            return Err(Error::rule("nonzero", rule, &[("array", self)]));
        }
        let (mask, count) = counted(self)?;
        let places = places(mask, count)?;
        let mut inner = 1;
        let mut indices = Vec::with_capacity(self.rank());
        for (axis, &size) in self.shape().iter().enumerate().rev() {
            let index = if inner == 1 { places.clone() } else { &places / inner as i64 };
            let index = if axis == 0 { index } else { index % size as i64 };
            indices.push(index.check()?.clone());
            inner *= size;
        }
        indices.reverse();
        Ok(indices)
    }
}

/// Whether a mask is for dimensions of these sizes. As in NumPy, one without elements is for any.
pub(crate) fn mask_fits(mask: &Array, sizes: &[usize]) -> bool {
    let pairs = mask.shape().iter().zip(sizes);
    mask.rank() == sizes.len() && pairs.into_iter().all(|(&side, &size)| side == size || side == 0)
}

/// The mask in one dimension, and how many of its elements are true.
fn counted(mask: &Array) -> Result<(Array, usize)> {
    let mask = mask.cast(DType::Bool).flatten();
    let count = mask.sum_all();
    Array::eval_all(&[&mask, &count])?;
    Ok((mask, count.item::<i64>()? as usize))
}

/// The numbers of the `count` true elements of a mask.
fn places(mask: Array, count: usize) -> Result<Array> {
    let kind = Kind::Call(Arc::new(Selecting));
    Ok(Array::lazy(DType::I64, Shape::new(&[count])?, kind, smallvec![mask]))
}

/// 0, 1, 2, … as elements of `shape`, on the device of an array.
pub(crate) fn numbered(array: &Array, shape: Shape) -> Result<Array> {
    let count = shape.elements();
    let all = Array::full(array.device(), &[count], true, DType::Bool);
    places(all, count)?.reshape_to(shape)
}
