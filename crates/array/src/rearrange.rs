//! Elements repeated, rolled, padded and put in other places. What is only a view is in `movement`.

use crate::{Array, Axes, Error, Result, build_map::broadcast};
use bessemer_core::{DType, Shape};

/// Arrays made of the elements of one.
impl Array {
    /// Each element `count` times, one after another along an axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.repeat(2, 1).to_string(), "[[1 1 2 2]\n [3 3 4 4]]");
    /// assert_eq!(a.flatten().repeat(2, 0).to_vec::<i32>()?, [1, 1, 2, 2, 3, 3, 4, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn repeat(&self, count: usize, axis: isize) -> Array {
        Array::build("repeat", &[("array", self)], || {
            let axis = self.axis("repeat", axis)?;
            let mut dims = self.shape().to_vec();
            dims.insert(axis + 1, count);
            let repeated = self.expand_dims(axis as isize + 1).broadcast_to(&dims);
            let size = dims[axis].saturating_mul(count);
            dims.splice(axis..axis + 2, [size]);
            repeated.check()?.reshape_to(Shape::new(&dims)?)
        })
    }

    /// Each element as often as `counts` says, along an axis. This evaluates `counts`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [7, 8, 9])?;
    /// let counts = Array::new(&device, [2, 0, 3])?;
    /// assert_eq!(a.repeat_each(&counts, 0).to_vec::<i32>()?, [7, 7, 9, 9, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn repeat_each(&self, counts: &Array, axis: isize) -> Array {
        const OP: &str = "repeat_each";
        let named = [("array", self), ("counts", counts)];
        Array::build(OP, &named, || {
            let axis = self.axis(OP, axis)?;
            if counts.rank() != 1 || counts.elements() != self.shape()[axis] {
                let rule = format!(
                    "counts have shape {}, but must have one element for each of axis {axis}",
                    counts.shape()
                );
                return Err(Error::rule(OP, rule, &named));
            }
            if !counts.dtype().is_integer() {
                let rule = format!("counts are {}, but must be integers", counts.dtype());
                return Err(Error::rule(OP, rule, &named));
            }
            let counts = counts.astype(DType::I64).to_vec::<i64>()?;
            if let Some(count) = counts.iter().find(|&&count| count < 0) {
                let rule = format!("a count is {count}, but must not be negative");
                return Err(Error::rule(OP, rule, &named));
            }
            let each = counts.iter().zip(0i64..);
            let places: Vec<i64> =
                each.flat_map(|(&count, i)| std::iter::repeat_n(i, count as usize)).collect();
            let places = Array::from_slice(self.device(), &places, &[places.len()])?;
            self.take(&places, axis as isize).check().cloned()
        })
    }

    /// The whole array as often as `counts` says along each axis. Of both, the one with fewer dimensions
    /// gets more of size 1 in front.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2]])?;
    /// assert_eq!(a.tile(&[2, 3]).to_string(), "[[1 2 1 2 1 2]\n [1 2 1 2 1 2]]");
    /// assert_eq!(a.tile(&[2]).to_string(), "[[1 2 1 2]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tile(&self, counts: &[usize]) -> Array {
        Array::build("tile", &[("array", self)], || {
            let rank = self.rank().max(counts.len());
            let (mut split, mut all, mut whole) = (Vec::new(), Vec::new(), Vec::new());
            for axis in 0..rank {
                let size =
                    (axis + self.rank()).checked_sub(rank).map_or(1, |axis| self.shape()[axis]);
                let count = (axis + counts.len()).checked_sub(rank).map_or(1, |axis| counts[axis]);
                if count != 1 {
                    split.push(1);
                    all.push(count);
                }
                split.push(size);
                all.push(size);
                whole.push(size.saturating_mul(count));
            }
            let tiled = self.reshape_to(Shape::new(&split)?)?.broadcast_to(&all);
            tiled.check()?.reshape_to(Shape::new(&whole)?)
        })
    }

    /// Moved by `shift` places along an axis; what leaves at one end comes in at the other.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.roll(1, 1).to_string(), "[[3 1 2]\n [6 4 5]]");
    /// assert_eq!(a.roll(-1, 0).to_string(), "[[4 5 6]\n [1 2 3]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn roll(&self, shift: isize, axis: isize) -> Array {
        Array::build("roll", &[("array", self)], || {
            let axis = self.axis("roll", axis)?;
            let size = self.shape()[axis];
            if size < 2 {
                return Ok(self.clone());
            }
            let first = shift.rem_euclid(size as isize) as usize;
            if first == 0 {
                return Ok(self.clone());
            }
            let (end, start) =
                (self.part(axis, size - first, first), self.part(axis, 0, size - first));
            Array::concat(&[&end, &start], axis as isize)
        })
    }

    /// [`Array::roll`] of all elements as if they were in one dimension.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.roll_flat(1).to_string(), "[[4 1]\n [2 3]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn roll_flat(&self, shift: isize) -> Array {
        Array::build("roll_flat", &[("array", self)], || {
            self.flatten().roll(shift, 0).check()?.reshape_to(*self.shape())
        })
    }

    /// The lower triangle of the last two axes; above diagonal `k` are zeros.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[3, 3], bessemer_core::DType::I32);
    /// assert_eq!(a.tril(0).to_string(), "[[1 0 0]\n [1 1 0]\n [1 1 1]]");
    /// assert_eq!(a.tril(-1).to_string(), "[[0 0 0]\n [1 0 0]\n [1 1 0]]");
    /// ```
    pub fn tril(&self, k: isize) -> Array {
        self.triangle("tril", |row, column| column.le(&(row + k as i64)))
    }

    /// The upper triangle of the last two axes; below diagonal `k` are zeros.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::ones(&device, &[2, 3], bessemer_core::DType::I32);
    /// assert_eq!(a.triu(1).to_string(), "[[0 1 1]\n [0 0 1]]");
    /// ```
    pub fn triu(&self, k: isize) -> Array {
        self.triangle("triu", |row, column| column.ge(&(row + k as i64)))
    }

    fn triangle(&self, op: &'static str, inside: impl Fn(Array, Array) -> Array) -> Array {
        Array::build(op, &[("array", self)], || {
            let [.., rows, columns] = **self.shape() else {
                let rule = format!("the array has rank {}, but must have at least 2", self.rank());
                return Err(Error::rule(op, rule, &[("array", self)]));
            };
            let number = |count: usize| Array::arange_as(self.device(), 0, count, 1, DType::I64);
            let mask = inside(number(rows).expand_dims(1), number(columns));
            Array::where_(&mask, self, &self.filled(Shape::SCALAR, 0)).check().cloned()
        })
    }

    /// One array for each of `arrays`, in which only one axis differs: coordinates of a grid. In two
    /// dimensions and more the first two are exchanged unless `by_index`, as in NumPy.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (x, y) = (Array::new(&device, [1, 2, 3])?, Array::new(&device, [10, 20])?);
    /// let grid = Array::meshgrid(&[&x, &y], false)?;
    /// assert_eq!(grid[0].to_string(), "[[1 2 3]\n [1 2 3]]");
    /// assert_eq!(grid[1].to_string(), "[[10 10 10]\n [20 20 20]]");
    /// assert_eq!(Array::meshgrid(&[&x, &y], true)?[0].dims(), [3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn meshgrid(arrays: &[&Array], by_index: bool) -> Result<Vec<Array>> {
        let named: Vec<_> = arrays.iter().map(|&array| ("array", array)).collect();
        let mut order: Vec<usize> = (0..arrays.len()).collect();
        if !by_index && arrays.len() >= 2 {
            order.swap(0, 1);
        }
        let mut dims = vec![0; arrays.len()];
        for (array, &axis) in arrays.iter().zip(&order) {
            if array.check()?.rank() > 1 {
                let rule = format!("an array has rank {}, but must have at most 1", array.rank());
                return Err(Error::rule("meshgrid", rule, &named));
            }
            dims[axis] = array.elements();
        }
        let whole = |(array, &axis): (&&Array, &usize)| {
            let mut alone = vec![1; dims.len()];
            alone[axis] = array.elements();
            array.reshape_to(Shape::new(&alone)?)?.broadcast_to(&dims).check().cloned()
        };
        arrays.iter().zip(&order).map(whole).collect()
    }

    /// All arrays in the shape that they broadcast to.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (a, b) = (Array::new(&device, [[1], [2]])?, Array::new(&device, [10, 20, 30])?);
    /// let all = Array::broadcast_arrays(&[&a, &b])?;
    /// assert_eq!((all[0].dims(), all[1].dims()), (&[2, 3][..], &[2, 3][..]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>> {
        let named: Vec<_> = arrays.iter().map(|&array| ("array", array)).collect();
        for array in arrays {
            array.check()?;
        }
        if arrays.is_empty() {
            return Ok(Vec::new());
        }
        let shape = broadcast("broadcast_arrays", &named)?;
        arrays.iter().map(|array| array.broadcast_to(&shape).check().cloned()).collect()
    }

    /// The parts along an axis, each without it.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// let columns = a.unstack(1)?;
    /// assert_eq!(columns.len(), 3);
    /// assert_eq!(columns[2].to_vec::<i32>()?, [3, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unstack(&self, axis: isize) -> Result<Vec<Array>> {
        let axis = self.check()?.axis("unstack", axis)?;
        let part = |i| self.part(axis, i, 1).squeeze(axis as isize).check().cloned();
        (0..self.shape()[axis]).map(part).collect()
    }

    /// Some axes moved to other places; the others keep their order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let a = Array::zeros(&device, &[2, 3, 4], DType::F32);
    /// assert_eq!(a.moveaxis(0, -1).dims(), [3, 4, 2]);
    /// assert_eq!(a.moveaxis([0, 1], [-1, -2]).dims(), [4, 3, 2]);
    /// ```
    pub fn moveaxis(&self, from: impl Axes, to: impl Axes) -> Array {
        const OP: &str = "moveaxis";
        Array::build(OP, &[("array", self)], || {
            let (from, to) = (from.listed().unwrap_or_default(), to.listed().unwrap_or_default());
            let found = |axes: &[isize]| -> Result<Vec<usize>> {
                let found: Vec<usize> =
                    axes.iter().map(|&axis| self.axis(OP, axis)).collect::<Result<_>>()?;
                let twice = (1..found.len()).find(|&i| found[..i].contains(&found[i]));
                match twice {
                    None => Ok(found),
                    Some(i) => {
                        let rule = format!("axis {} is given twice", axes[i]);
                        Err(Error::rule(OP, rule, &[("array", self)]))
                    }
                }
            };
            let (from, to) = (found(from)?, found(to)?);
            if from.len() != to.len() {
                let rule = format!("{} axes are moved to {} places", from.len(), to.len());
                return Err(Error::rule(OP, rule, &[("array", self)]));
            }
            let mut others = (0..self.rank()).filter(|axis| !from.contains(axis));
            let order: Vec<isize> = (0..self.rank())
                .filter_map(|place| match to.iter().position(|&to| to == place) {
                    Some(i) => Some(from[i]),
                    None => others.next(),
                })
                .map(|axis| axis as isize)
                .collect();
            self.permute(&order).check().cloned()
        })
    }

    /// The last two axes exchanged.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// assert_eq!(Array::zeros(&device, &[2, 3, 4], DType::F32).matrix_transpose().dims(), [2, 4, 3]);
    /// ```
    pub fn matrix_transpose(&self) -> Array {
        Array::build("matrix_transpose", &[("array", self)], || {
            if self.rank() < 2 {
                let rule = format!("the array has rank {}, but must have at least 2", self.rank());
                return Err(Error::rule("matrix_transpose", rule, &[("array", self)]));
            }
            self.swap_axes(-1, -2).check().cloned()
        })
    }
}
