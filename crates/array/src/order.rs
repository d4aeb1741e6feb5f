//! Sorting, and what is found in sorted arrays. The kernels are ops.

use crate::{Array, Error, Result, call::Call, node::Kind};
use bessemer_core::{Batch, DType, View};
use bessemer_ops::{Search, Sort, Sorted};
use smallvec::smallvec;
use std::sync::Arc;

struct Sorting {
    descending: bool,
    indices: bool,
}

impl Call for Sorting {
    fn name(&self) -> &'static str {
        if self.indices { "argsort" } else { "sort" }
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("a sort has one input"));
        };
        let sorted = if self.indices { Sorted::Indices } else { Sorted::Elements };
        batch.push(Sort { x: x.clone(), descending: self.descending, out: sorted(out.clone()) })
    }
}

struct Searching {
    right: bool,
}

impl Call for Searching {
    fn name(&self) -> &'static str {
        "searchsorted"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [sorted, values] = inputs else {
            return Err(bessemer_core::Error::view("a search has two inputs"));
        };
        let (sorted, values) = (sorted.clone(), values.clone());
        batch.push(Search { sorted, values, right: self.right, out: out.clone() })
    }
}

/// On which side of its equals a value is put by [`Array::searchsorted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before them.
    Left,
    /// Behind them.
    Right,
}

/// Sorting along an axis. NaN comes last in either order; 0 and -0 are equal.
impl Array {
    /// The elements in ascending order along an axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3.0f32, 1.0, 2.0], [0.5, f32::NAN, 0.25]])?;
    /// assert_eq!(a.sort(-1).to_string(), "[[1.   2.   3.  ]\n [0.25 0.5   nan]]");
    /// assert_eq!(a.sort(0).at(0).to_vec::<f32>()?, [0.5, 1.0, 0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sort(&self, axis: isize) -> Array {
        self.sorted("sort", axis, Sorting { descending: false, indices: false })
    }

    /// The elements in descending order along an axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3, 1, 2])?;
    /// assert_eq!(a.sort_descending(0).to_vec::<i32>()?, [3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sort_descending(&self, axis: isize) -> Array {
        self.sorted("sort_descending", axis, Sorting { descending: true, indices: false })
    }

    /// The indices that put an axis in ascending order, as `i64`: [`Array::take_along_axis`] of them is
    /// [`Array::sort`]. Those of equal elements keep their order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, 1.0, 2.0, 1.0])?;
    /// let order = a.argsort(0);
    /// assert_eq!(order.to_vec::<i64>()?, [1, 3, 2, 0]);
    /// assert_eq!(a.take_along_axis(&order, 0).to_vec::<f32>()?, [1.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argsort(&self, axis: isize) -> Array {
        self.sorted("argsort", axis, Sorting { descending: false, indices: true })
    }

    /// The indices that put an axis in descending order, as `i64`. Those of equal elements keep their
    /// order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, 1.0, 2.0, 1.0])?;
    /// assert_eq!(a.argsort_descending(0).to_vec::<i64>()?, [0, 2, 1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argsort_descending(&self, axis: isize) -> Array {
        self.sorted("argsort_descending", axis, Sorting { descending: true, indices: true })
    }

    fn sorted(&self, op: &'static str, axis: isize, sorting: Sorting) -> Array {
        Array::build(op, &[("array", self)], || {
            let axis = self.axis(op, axis)? as isize;
            self.real_numbers(op)?;
            let dtype = if sorting.indices { DType::I64 } else { self.dtype() };
            // The op works along the last axis.
            let x = self.swap_axes(axis, -1);
            let (shape, kind) = (*x.shape(), Kind::Call(Arc::new(sorting)));
            Ok(Array::lazy(dtype, shape, kind, smallvec![x]).swap_axes(axis, -1))
        })
    }

    /// Where `values` belong in this array of one dimension, which must be sorted in ascending order, as
    /// `i64`. The result has the shape of `values`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Side;
    /// let a = Array::new(&device, [1.0f32, 2.0, 2.0, 5.0])?;
    /// let values = Array::new(&device, [[2.0f32], [9.0]])?;
    /// assert_eq!(a.searchsorted(&values, Side::Left).to_string(), "[[1]\n [4]]");
    /// assert_eq!(a.searchsorted(&values, Side::Right).to_string(), "[[3]\n [4]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn searchsorted(&self, values: &Array, side: Side) -> Array {
        const OP: &str = "searchsorted";
        let named = [("array", self), ("values", values)];
        Array::build(OP, &named, || {
            if self.rank() != 1 {
                let rule = format!("the array must have one dimension, not {}", self.rank());
                return Err(Error::rule(OP, rule, &named));
            }
            let dtype = crate::build_map::common(OP, &named)?;
            let (sorted, values) = (self.cast(dtype), values.cast(dtype));
            sorted.real_numbers(OP)?;
            let shape = *values.shape();
            let kind = Kind::Call(Arc::new(Searching { right: side == Side::Right }));
            Ok(Array::lazy(DType::I64, shape, kind, smallvec![sorted, values]))
        })
    }

    /// An error unless its elements are in an order.
    fn real_numbers(&self, op: &'static str) -> Result<()> {
        if self.dtype().is_complex() {
            return Err(crate::complex::refused(op, &[("array", self)]));
        }
        Ok(())
    }
}
