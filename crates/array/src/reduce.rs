//! Reductions over all axes, or over some.

use crate::{
    Array, Axes, Error, Result, axes, complex,
    node::Kind,
    promote::{float_of, total_of},
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
            (Fold::Sum | Fold::Prod, DType::Bool) => DType::I32,
            (Fold::Mean, _) => float_of(dtype),
            (Fold::ArgMin | Fold::ArgMax, DType::Bool) => DType::U8,
            _ => dtype,
        }
    }

    /// The dtype of the result for elements folded as `dtype`.
    fn gives(self, dtype: DType) -> DType {
        match self {
            Fold::ArgMin | Fold::ArgMax => DType::I64,
            Fold::Sum | Fold::Prod => total_of(dtype),
            _ => dtype,
        }
    }

    /// Whether no elements at all have a result.
    fn has_identity(self) -> bool {
        !matches!(self, Fold::Min | Fold::Max | Fold::ArgMin | Fold::ArgMax)
    }
}

/// Reductions over some axes ([`Axes`]): `a.sum(0)`, `a.sum([0, 1])`, `a.sum(..)`.
///
/// No axes at all (`[]`) reduce nothing, as in NumPy.
impl Array {
    /// The sum over `axes`. Signed integers and booleans give `i64`, unsigned ones
    /// `u64`, which wrap. Floats are
    /// accumulated in at least single precision, pairwise, so the error does not grow with the count.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.sum_all().item::<i64>()?, 21);
    /// assert_eq!(a.sum(0).to_vec::<i64>()?, [5, 7, 9]);
    /// assert_eq!(a.sum_keepdim(-1).to_string(), "[[ 6]\n [15]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Sum, &axes, false)
    }

    /// [`Array::sum`], with the reduced axes kept as size 1, so that the result broadcasts against the
    /// array.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 3.0], [2.0, 2.0]])?;
    /// let shares = &a / &a.sum_keepdim(1);
    /// assert_eq!(shares.to_string(), "[[0.25 0.75]\n [0.5  0.5 ]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Sum, &axes, true)
    }

    /// The sum of all elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.sum_all().item::<i64>()?, 10);
    /// assert_eq!(a.gt(1).sum_all().item::<i64>()?, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum_all(&self) -> Array {
        self.sum(..)
    }

    /// The mean over `axes`: `f32` for integers and booleans, NaN for no elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 8.0], [3.0, 4.0]])?;
    /// assert_eq!(a.mean_all().item::<f32>()?, 4.0);
    /// assert_eq!((&a - &a.mean_keepdim(1)).to_vec::<f32>()?, [-3.5, 3.5, -0.5, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Mean, &axes, false)
    }

    /// [`Array::mean`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 3.0], [2.0, 6.0]])?;
    /// assert_eq!((&a - &a.mean_keepdim(0)).to_string(), "[[-0.5 -1.5]\n [ 0.5  1.5]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Mean, &axes, true)
    }

    /// The mean of all elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.mean_all().item::<f32>()?, 2.5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean_all(&self) -> Array {
        self.mean(..)
    }

    /// The product over `axes`, with the dtypes of [`Array::sum`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.prod(1).to_vec::<i64>()?, [6, 120]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn prod(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Prod, &axes, false)
    }

    /// [`Array::prod`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.prod_keepdim(1).to_string(), "[[ 2]\n [12]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn prod_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Prod, &axes, true)
    }

    /// The product of all elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::arange(&device, 1, 6, 1).prod_all().item::<i64>()?, 120);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn prod_all(&self) -> Array {
        self.prod(..)
    }

    /// The smallest element over `axes`; NaN if any is NaN. Reducing no elements is an error.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 8.0], [3.0, 4.0]])?;
    /// assert_eq!(a.min(0).to_vec::<f32>()?, [1.0, 4.0]);
    /// assert_eq!(a.min_all().item::<f32>()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn min(&self, axes: impl Axes) -> Array {
        self.reduce_or(Fold::Min, self.fold_or(Fold::Min, Fold::All), &axes, false)
    }

    /// [`Array::min`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[5, 3], [7, 9]])?;
    /// assert_eq!((&a - &a.min_keepdim(1)).to_string(), "[[2 0]\n [0 2]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn min_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce_or(Fold::Min, self.fold_or(Fold::Min, Fold::All), &axes, true)
    }

    /// The smallest of all elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [2.0f32, -1.0, 3.0])?;
    /// assert_eq!(a.min_all().item::<f32>()?, -1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn min_all(&self) -> Array {
        self.min(..)
    }

    /// The largest element over `axes`; NaN if any is NaN. Reducing no elements is an error.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 8.0], [3.0, 4.0]])?;
    /// assert_eq!(a.max(1).to_vec::<f32>()?, [8.0, 4.0]);
    /// assert_eq!(a.max_keepdim(..).dims(), [1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn max(&self, axes: impl Axes) -> Array {
        self.reduce_or(Fold::Max, self.fold_or(Fold::Max, Fold::Any), &axes, false)
    }

    /// [`Array::max`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 9], [4, 2]])?;
    /// assert_eq!(a.eq(&a.max_keepdim(1)).to_vec::<bool>()?, [false, true, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn max_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce_or(Fold::Max, self.fold_or(Fold::Max, Fold::Any), &axes, true)
    }

    /// The largest of all elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [2.0f32, -4.0, 3.0])?;
    /// assert_eq!(a.abs().max_all().item::<f32>()?, 4.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn max_all(&self) -> Array {
        self.max(..)
    }

    /// The index of the smallest element along one axis, or with `..` in the flattened array, as
    /// `i64`. Ties give the first; a NaN counts as the smallest.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 7, 3], [9, 5, 6]])?;
    /// assert_eq!(a.argmin(0).to_vec::<i64>()?, [0, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmin(&self, axes: impl Axes) -> Array {
        self.arg_reduce(Fold::ArgMin, &axes, false)
    }

    /// [`Array::argmin`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 7, 3], [9, 5, 6]])?;
    /// assert_eq!(a.argmin_keepdim(1).to_string(), "[[0]\n [1]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmin_keepdim(&self, axes: impl Axes) -> Array {
        self.arg_reduce(Fold::ArgMin, &axes, true)
    }

    /// The index of the largest element along one axis, or with `..` in the flattened array, as
    /// `i64`. Ties give the first; a NaN counts as the largest.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 7, 3], [9, 5, 6]])?;
    /// assert_eq!(a.argmax(..).item::<i64>()?, 3);
    /// assert_eq!(a.argmax(1).to_vec::<i64>()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmax(&self, axes: impl Axes) -> Array {
        self.arg_reduce(Fold::ArgMax, &axes, false)
    }

    /// [`Array::argmax`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 7, 3], [9, 5, 6]])?;
    /// assert_eq!(a.argmax_keepdim(0).to_string(), "[[1 0 1]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmax_keepdim(&self, axes: impl Axes) -> Array {
        self.arg_reduce(Fold::ArgMax, &axes, true)
    }

    /// Whether any element over `axes` is true (not zero); false for no elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert!(a.gt(5).any(..).item::<bool>()?);
    /// assert_eq!(a.gt(5).any(0).to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn any(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Any, &axes, false)
    }

    /// [`Array::any`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [0, 0]])?;
    /// assert_eq!(a.any_keepdim(1).dims(), [2, 1]);
    /// assert_eq!(a.any_keepdim(1).to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn any_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::Any, &axes, true)
    }

    /// Whether all elements over `axes` are true (not zero); true for no elements.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert!(a.gt(0).all(..).item::<bool>()?);
    /// assert_eq!(a.gt(1).all(1).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn all(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::All, &axes, false)
    }

    /// [`Array::all`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [0, 3]])?;
    /// assert_eq!(a.all_keepdim(0).dims(), [1, 2]);
    /// assert_eq!(a.all_keepdim(0).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn all_keepdim(&self, axes: impl Axes) -> Array {
        self.reduce(Fold::All, &axes, true)
    }

    fn reduce(&self, fold: Fold, axes: &impl Axes, keepdim: bool) -> Array {
        self.reduce_or(fold, fold, axes, keepdim)
    }

    /// The index of an extreme: over one axis or all, since an index over two would mean neither.
    fn arg_reduce(&self, fold: Fold, axes: &impl Axes, keepdim: bool) -> Array {
        match axes.listed() {
            Some([_]) | None => self.reduce(fold, axes, keepdim),
            Some(listed) => {
                let rule = format!("{} axes are given; give one, or `..` for all", listed.len());
                Array::failed(self.device(), Error::rule(fold.name(), rule, &[("array", self)]))
            }
        }
    }

    /// How `fold` is done here: booleans have a fold of their own.
    fn fold_or(&self, fold: Fold, of_booleans: Fold) -> Fold {
        if self.dtype() == DType::Bool { of_booleans } else { fold }
    }

    /// By `fold`, which is how `asked` is done here.
    fn reduce_or(&self, asked: Fold, fold: Fold, axes: &impl Axes, keepdim: bool) -> Array {
        Array::build(asked.name(), &[("array", self)], || {
            if self.dtype().is_complex() && !matches!(asked, Fold::Any | Fold::All) {
                return self.reduce_complex(asked, axes, keepdim);
            }
            let reduction = Reduction { fold, axes: axes::mask(asked.name(), self, axes)? };
            let (kept, dropped) = self.reduced_shapes(reduction)?;
            if !asked.has_identity() && self.elements() == 0 && kept.elements() > 0 {
                let rule = "the array has no elements to choose from";
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

    /// Sums are those of the parts; a product is one of halves, again and again.
    fn reduce_complex(&self, fold: Fold, axes: &impl Axes, keepdim: bool) -> Result<Array> {
        let named = [("array", self)];
        match fold {
            Fold::Sum | Fold::Mean => {
                let [re, im] = complex::parts(self).map(|part| part.reduce(fold, axes, keepdim));
                complex::of(re.check()?, im.check()?)
            }
            Fold::Prod => {
                let mask = axes::mask(fold.name(), self, axes)?;
                let reduction = Reduction { fold, axes: mask };
                let (kept, dropped) = self.reduced_shapes(reduction)?;
                let mut array = self.clone();
                for axis in (0..self.rank()).filter(|&axis| reduction.has(axis)) {
                    array = array.product_along(axis);
                }
                array.reshape_to(if keepdim { kept } else { dropped })
            }
            _ => Err(complex::refused(fold.name(), &named)),
        }
    }

    fn product_along(&self, axis: usize) -> Array {
        let mut array = self.clone();
        while array.shape()[axis] > 1 {
            let (len, half) = (array.shape()[axis], array.shape()[axis].div_ceil(2));
            let (low, high) = (array.part(axis, 0, len - half), array.part(axis, half, len - half));
            let product = low * high;
            array = match 2 * half == len {
                true => product,
                // The middle one of an odd number is left as it is.
                false => {
                    let middle = array.part(axis, len - half, 1);
                    let joined = Array::concat(&[&product, &middle], axis as isize);
                    Array::from_result(self.device(), joined)
                }
            };
        }
        if array.shape().get(axis) == Some(&0) {
            let mut dims = array.shape().to_vec();
            dims[axis] = 1;
            return Array::full(self.device(), &dims, 1, self.dtype());
        }
        array
    }

    /// The shape with the axes of a reduction as 1, and without them.
    pub(crate) fn reduced_shapes(&self, reduction: Reduction) -> Result<(Shape, Shape)> {
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
