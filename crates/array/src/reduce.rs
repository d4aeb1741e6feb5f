//! One element from many: over all axes, or over some.

use crate::{
    Array, Error, Result,
    node::Kind,
    promote::{default_integer, float_of},
};
use bessemer_core::{DType, MAX_RANK, Shape};
use smallvec::smallvec;

/// How elements become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    Sum,
    Mean,
    Prod,
    Min,
    Max,
    ArgMin,
    ArgMax,
    Any,
    All,
}

/// A reduction of some axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    pub(crate) fold: Fold,
    /// One bit for each axis.
    pub(crate) axes: u8,
}

impl Reduction {
    pub(crate) fn name(self) -> &'static str {
        self.fold.name()
    }

    pub(crate) fn has(self, axis: usize) -> bool {
        self.axes >> axis & 1 == 1
    }
}

impl Fold {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Mean => "mean",
            Fold::Prod => "prod",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::ArgMin => "argmin",
            Fold::ArgMax => "argmax",
            Fold::Any => "any",
            Fold::All => "all",
        }
    }

    /// The dtype elements of `dtype` are folded as.
    fn takes(self, dtype: DType) -> DType {
        match (self, dtype) {
            (Fold::Any | Fold::All, _) => DType::Bool,
            (Fold::Sum | Fold::Prod, DType::Bool) => default_integer(),
            (Fold::Sum | Fold::Prod, DType::U8) => DType::U32,
            (Fold::Mean, _) => float_of(dtype),
            (Fold::ArgMin | Fold::ArgMax, DType::Bool) => DType::U8,
            _ => dtype,
        }
    }

    /// The dtype of the result for elements folded as `dtype`.
    fn gives(self, dtype: DType) -> DType {
        match self {
            Fold::ArgMin | Fold::ArgMax => DType::U32,
            _ => dtype,
        }
    }

    /// Whether no elements at all have a result.
    fn has_identity(self) -> bool {
        !matches!(self, Fold::Min | Fold::Max | Fold::ArgMin | Fold::ArgMax)
    }
}

/// Reductions. `axes` are those that go away, all if none are given; negative ones count from the
/// end. With `keepdim` they stay with size 1, so that the result broadcasts against the array.
impl Array {
    /// The sum. `bool` gives `i32` and `u8` gives `u32`; integers wrap. Floats are added in at
    /// least single precision, in parts, so that the error does not grow with the number.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.sum(&[], false).to_string(), "21");
    /// assert_eq!(a.sum(&[0], false).to_string(), "[5 7 9]");
    /// assert_eq!(a.sum(&[-1], true).to_string(), "[[ 6]\n [15]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum(&self, axes: &[isize], keepdim: bool) -> Array {
        self.reduce(Fold::Sum, axes, keepdim)
    }

    /// The mean; `f32` for integers and booleans, NaN of no elements.
    pub fn mean(&self, axes: &[isize], keepdim: bool) -> Array {
        self.reduce(Fold::Mean, axes, keepdim)
    }

    /// The product, with the dtypes of [`Array::sum`].
    pub fn prod(&self, axes: &[isize], keepdim: bool) -> Array {
        self.reduce(Fold::Prod, axes, keepdim)
    }

    /// The smallest; NaN if any is.
    pub fn min(&self, axes: &[isize], keepdim: bool) -> Array {
        let fold = if self.dtype() == DType::Bool { Fold::All } else { Fold::Min };
        self.reduce_or(Fold::Min, fold, axes, keepdim)
    }

    /// The largest; NaN if any is.
    pub fn max(&self, axes: &[isize], keepdim: bool) -> Array {
        let fold = if self.dtype() == DType::Bool { Fold::Any } else { Fold::Max };
        self.reduce_or(Fold::Max, fold, axes, keepdim)
    }

    /// Where the smallest is along `axis`, or among all elements in row-major order, as `u32`. The
    /// first one if there are several; the first NaN if there is one.
    pub fn argmin(&self, axis: Option<isize>, keepdim: bool) -> Array {
        self.reduce(Fold::ArgMin, axis.as_slice(), keepdim)
    }

    /// Where the largest is, as [`Array::argmin`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 7, 3], [9, 5, 6]])?;
    /// assert_eq!(a.argmax(None, false).item::<u32>()?, 3);
    /// assert_eq!(a.argmax(Some(1), false).to_vec::<u32>()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmax(&self, axis: Option<isize>, keepdim: bool) -> Array {
        self.reduce(Fold::ArgMax, axis.as_slice(), keepdim)
    }

    /// Whether any is true; false of none.
    pub fn any(&self, axes: &[isize], keepdim: bool) -> Array {
        self.reduce(Fold::Any, axes, keepdim)
    }

    /// Whether all are true; true of none.
    pub fn all(&self, axes: &[isize], keepdim: bool) -> Array {
        self.reduce(Fold::All, axes, keepdim)
    }

    fn reduce(&self, fold: Fold, axes: &[isize], keepdim: bool) -> Array {
        self.reduce_or(fold, fold, axes, keepdim)
    }

    /// By `fold`, which is how `asked` is done here.
    fn reduce_or(&self, asked: Fold, fold: Fold, axes: &[isize], keepdim: bool) -> Array {
        Array::build(asked.name(), &[("array", self)], || {
            let mut mask = if axes.is_empty() { u8::MAX } else { 0 };
            for &axis in axes {
                mask |= 1 << self.axis(asked.name(), axis)?;
            }
            let reduction = Reduction { fold, axes: mask };
            let (kept, dropped) = self.reduced_shapes(reduction)?;
            if !asked.has_identity() && self.elements() == 0 && kept.elements() > 0 {
                let rule = "the smallest or largest of no elements is not defined";
                return Err(Error::rule(asked.name(), rule, &[("array", self)]));
            }
            let input = self.cast(fold.takes(self.dtype()));
            let dtype = fold.gives(input.dtype());
            let kind = Kind::Reduce(reduction);
            // Devices see the axes where they were; those that go away go by a view.
            let result = Array::lazy(dtype, kept, kind, smallvec![input]);
            if keepdim { Ok(result) } else { result.reshape_to(dropped) }
        })
    }

    /// The shape with the axes of a reduction as 1, and without them.
    fn reduced_shapes(&self, reduction: Reduction) -> Result<(Shape, Shape)> {
        let (mut kept, mut dropped) = ([1; MAX_RANK], SmallShape::new());
        for (axis, &size) in self.shape().iter().enumerate() {
            if !reduction.has(axis) {
                kept[axis] = size;
                dropped.push(size);
            }
        }
        Ok((Shape::new(&kept[..self.rank()])?, Shape::new(&dropped)?))
    }
}

type SmallShape = smallvec::SmallVec<[usize; MAX_RANK]>;
