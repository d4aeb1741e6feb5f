//! The same elements in other shapes and orders. Nothing here computes; on arrays whose elements
//! are known it is a new view of the same memory.

use crate::{
    Array, Axes, Error, Index, Result,
    axis_map::{Axis, AxisMap},
    index::resolve,
    node::{Expr, Kind},
};
use bessemer_core::{MAX_RANK, Shape};
use smallvec::smallvec;

impl Array {
    /// A part of it, as NumPy's `a[…]` with ranges, steps, single indices, `...` and new axes.
    /// [`s!`](crate::s) writes them.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error, s};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
    /// assert_eq!(a.slice(s![1, ..]).to_vec::<i32>()?, [4, 5, 6, 7]);
    /// assert_eq!(a.slice(s![..; -1, -1]).to_vec::<i32>()?, [11, 7, 3]);
    /// assert_eq!(a.slice(s![..., NewAxis, 1..3]).dims(), [3, 1, 2]);
    /// assert!(a.slice(s![7]).check().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice(&self, indices: impl AsRef<[Index]>) -> Array {
        self.remap("slice", || {
            let indices = indices.as_ref();
            resolve(self.shape(), indices).map_err(|rule| {
                let given = format!("indices: {indices:?}");
                Error::rule_with("slice", rule, &[("array", self)], &given)
            })
        })
    }

    /// Element or sub-array `index` of the first axis; negative ones count from the end.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.at(-1).to_vec::<i32>()?, [3, 4]);
    /// assert_eq!(a.at(0).at(1).item::<i32>()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn at(&self, index: isize) -> Array {
        self.slice([Index::At(index)])
    }

    /// The same elements in another shape, in row-major order. One size may be -1: it is what is
    /// left over.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 12, 1);
    /// assert_eq!(a.reshape(&[3, -1]).dims(), [3, 4]);
    /// assert!(a.reshape(&[5, -1]).check().is_err());
    /// ```
    pub fn reshape(&self, shape: &[isize]) -> Array {
        Array::build("reshape", &[("array", self)], || {
            let shape = self.new_shape(shape)?;
            self.reshape_to(shape)
        })
    }

    /// All elements in one dimension.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.transpose().flatten().to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flatten(&self) -> Array {
        self.reshape(&[-1])
    }

    /// The axes in another order; axis `i` of the result is `axes[i]` of this one. Negative axes
    /// count from the end.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[2, 3, 4], DType::F32);
    /// assert_eq!(a.permute(&[2, 0, 1]).dims(), [4, 2, 3]);
    /// assert_eq!(a.permute(&[0, -1, 1]).dims(), [2, 4, 3]);
    /// assert!(a.permute(&[0, 0, 1]).check().is_err());
    /// ```
    pub fn permute(&self, axes: &[isize]) -> Array {
        self.remap("permute", || {
            let refuse = || {
                let rule = "the axes must name each dimension exactly once";
                let given = format!("axes: {axes:?}");
                Error::rule_with("permute", rule, &[("array", self)], &given)
            };
            let mut order = Vec::with_capacity(self.rank());
            for &axis in axes {
                let axis = self.find_axis(axis).ok_or_else(refuse)?;
                if order.contains(&axis) {
                    return Err(refuse());
                }
                order.push(axis);
            }
            if order.len() != self.rank() {
                return Err(refuse());
            }
            let axes: Vec<_> = order.into_iter().map(|axis| self.whole(axis)).collect();
            Ok(AxisMap::new(&axes, &[])?)
        })
    }

    /// All axes in reverse order: NumPy's `a.T`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.transpose().to_string(), "[[1 4]\n [2 5]\n [3 6]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn transpose(&self) -> Array {
        let axes: Vec<isize> = (0..self.rank() as isize).rev().collect();
        self.permute(&axes)
    }

    /// Two axes swapped.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[2, 3, 4], DType::F32);
    /// assert_eq!(a.swap_axes(0, -1).dims(), [4, 3, 2]);
    /// ```
    pub fn swap_axes(&self, a: isize, b: isize) -> Array {
        let mut axes: Vec<isize> = (0..self.rank() as isize).collect();
        match (self.find_axis(a), self.find_axis(b)) {
            (Some(a), Some(b)) => axes.swap(a, b),
            // Refused by `permute`, which says why.
            _ => axes = vec![a, b],
        }
        self.permute(&axes)
    }

    /// Repeated to `shape` by NumPy's rule: sizes are matched from the last one on, and 1 matches
    /// any.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1], [2]])?;
    /// assert_eq!(a.broadcast_to(&[2, 3]).to_string(), "[[1 1 1]\n [2 2 2]]");
    /// assert!(a.broadcast_to(&[3, 3]).check().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Array {
        self.remap("broadcast_to", || {
            let wanted = Shape::new(shape)?;
            let fits = self.shape().broadcast(&wanted);
            if !fits.as_ref().is_ok_and(|fits| *fits == wanted) {
                let rule = format!("{} does not broadcast to {wanted}", self.shape());
                return Err(Error::rule("broadcast_to", rule, &[("array", self)]));
            }
            Ok(AxisMap::broadcast(self.shape(), &wanted))
        })
    }

    /// Without the axes of size 1 among `axes`; without all of size 1 if there are none given.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::zeros(&device, &[1, 3, 1], DType::F32);
    /// assert_eq!(a.squeeze(..).dims(), [3]);
    /// assert_eq!(a.squeeze(0).dims(), [3, 1]);
    /// assert!(a.squeeze(1).check().is_err());
    /// ```
    pub fn squeeze(&self, axes: impl Axes) -> Array {
        let axes = axes.listed();
        self.remap("squeeze", || {
            let mut gone = [false; MAX_RANK];
            for &axis in axes.unwrap_or_default() {
                let found = self.find_axis(axis).filter(|&axis| self.shape()[axis] == 1);
                gone[found.ok_or_else(|| {
                    let rule = format!("axis {axis} is out of range, or not of size 1");
                    Error::rule("squeeze", rule, &[("array", self)])
                })?] = true;
            }
            let stays = |&axis: &usize| match axes {
                None => self.shape()[axis] != 1,
                Some(_) => !gone[axis],
            };
            let axes: Vec<_> =
                (0..self.rank()).filter(stays).map(|axis| self.whole(axis)).collect();
            Ok(AxisMap::new(&axes, &[])?)
        })
    }

    /// With a new axis of size 1 before axis `axis`; -1 puts it last.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// assert_eq!(a.expand_dims(0).dims(), [1, 3]);
    /// assert_eq!((&a.expand_dims(-1) - &a).dims(), [3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn expand_dims(&self, axis: isize) -> Array {
        self.remap("expand_dims", || {
            let places = self.rank() as isize + 1;
            let place = if axis < 0 { axis.saturating_add(places) } else { axis };
            if !(0..places).contains(&place) {
                let rule = format!(
                    "axis {axis} is out of range; it must be from {} to {}",
                    -places,
                    places - 1
                );
                return Err(Error::rule("expand_dims", rule, &[("array", self)]));
            }
            let mut axes: Vec<_> = (0..self.rank()).map(|axis| self.whole(axis)).collect();
            axes.insert(place as usize, Axis::New { count: 1 });
            Ok(AxisMap::new(&axes, &[])?)
        })
    }

    /// Backwards along `axes`; along all if none are given.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.flip(0).to_string(), "[[3 4]\n [1 2]]");
    /// assert_eq!(a.flip(..).to_string(), "[[4 3]\n [2 1]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flip(&self, axes: impl Axes) -> Array {
        let axes = axes.listed().unwrap_or_default();
        self.remap("flip", || {
            let mut flipped = [axes.is_empty(); MAX_RANK];
            for &axis in axes {
                flipped[self.axis("flip", axis)?] = true;
            }
            let turn = |axis: usize| match self.shape()[axis] {
                count @ 1.. if flipped[axis] => {
                    Axis::Along { source: axis, start: count as isize - 1, step: -1, count }
                }
                _ => self.whole(axis),
            };
            let axes: Vec<_> = (0..self.rank()).map(turn).collect();
            Ok(AxisMap::new(&axes, &[])?)
        })
    }
}

impl Array {
    /// An axis of the shape, as it is.
    fn whole(&self, axis: usize) -> Axis {
        Axis::Along { source: axis, start: 0, step: 1, count: self.shape()[axis] }
    }

    /// The number of an axis that may count from the end.
    pub(crate) fn find_axis(&self, axis: isize) -> Option<usize> {
        let rank = self.rank() as isize;
        let found = if axis < 0 { axis.saturating_add(rank) } else { axis };
        (0..rank).contains(&found).then_some(found as usize)
    }

    /// The same, or the error.
    pub(crate) fn axis(&self, op: &'static str, axis: isize) -> Result<usize> {
        self.find_axis(axis).ok_or_else(|| {
            let rule = format!("axis {axis} is out of range for an array of rank {}", self.rank());
            Error::rule(op, rule, &[("array", self)])
        })
    }

    /// Part `start..start + count` of an axis that has it.
    pub(crate) fn part(&self, axis: usize, start: usize, count: usize) -> Array {
        let end = Some((start + count) as isize);
        let mut indices = vec![Index::from(..); axis];
        indices.push(Index::Range { start: Some(start as isize), end, step: 1 });
        self.slice(indices)
    }

    /// Seen through the map that `rule` makes.
    fn remap(&self, op: &'static str, rule: impl FnOnce() -> Result<AxisMap>) -> Array {
        Array::build(op, &[("array", self)], || self.through(rule()?))
    }

    /// Seen through `map`.
    pub(crate) fn through(&self, map: AxisMap) -> Result<Array> {
        let shape = *map.shape();
        if let Some(view) = self.known() {
            return Ok(Array::ready(self.device(), map.apply(view)?));
        }
        // A view of a view is one view, and all parts of a constant are the same constant.
        let (kind, input) = match self.node.expr().as_ref() {
            Some(Expr { kind: Kind::Remap(first), inputs }) => {
                (Kind::Remap(Box::new(first.then(&map))), inputs[0].clone())
            }
            Some(Expr { kind: Kind::Fill(value), .. }) => return Ok(self.filled(shape, *value)),
            _ => (Kind::Remap(Box::new(map)), self.clone()),
        };
        Ok(Array::lazy(self.dtype(), shape, kind, smallvec![input]))
    }

    /// In a shape with as many elements.
    pub(crate) fn reshape_to(&self, shape: Shape) -> Result<Array> {
        if shape == *self.shape() {
            return Ok(self.clone());
        }
        if let Some(value) = self.fill() {
            return Ok(self.filled(shape, value));
        }
        if let Some(view) = self.known()
            && let Some(view) = view.reshape(shape)?
        {
            return Ok(Array::ready(self.device(), view));
        }
        let inputs = smallvec![self.clone()];
        Ok(Array::lazy(self.dtype(), shape, Kind::Reshape, inputs))
    }

    /// The same number everywhere, on its device and of its dtype, as that stores it.
    pub(crate) fn filled(&self, shape: Shape, value: u64) -> Array {
        let kind = Kind::Fill(value);
        Array::lazy_on(self.device(), self.dtype(), shape, kind, smallvec![])
    }

    fn new_shape(&self, sizes: &[isize]) -> Result<Shape> {
        let refuse = |rule: String| {
            let given = format!("shape: {sizes:?}");
            Error::rule_with("reshape", rule, &[("array", self)], &given)
        };
        if sizes.iter().any(|&size| size < -1) || sizes.iter().filter(|&&s| s == -1).count() > 1 {
            return Err(refuse("the shape has a negative size, or more than one -1".into()));
        }
        let known = sizes.iter().filter(|&&size| size >= 0);
        let known = known.map(|&size| size as usize);
        let known = known.clone().try_fold(1usize, |n, size| n.checked_mul(size));
        let elements = self.elements();
        let rest = match known {
            Some(known) if known > 0 && elements.is_multiple_of(known) => elements / known,
            _ => 0,
        };
        let dims: Vec<usize> =
            sizes.iter().map(|&size| if size < 0 { rest } else { size as usize }).collect();
        let shape = Shape::new(&dims)?;
        if shape.elements() != elements {
            return Err(refuse(format!("an array of {elements} elements does not fit the shape")));
        }
        Ok(shape)
    }
}
