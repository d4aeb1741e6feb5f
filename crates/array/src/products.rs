//! Products of arrays that are made of matrix products and sums.

use crate::{Array, Error, Index, Result, build_map::common};
use bessemer_core::Shape;

impl Array {
    /// The sum of products over some axes of both: `axes.0` of this array, in order, with `axes.1` of
    /// `other`. The result has the other axes of this array and then those of `other`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 6, 1).reshape(&[2, 3]);
    /// let b = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
    /// assert_eq!(a.tensordot(&b, (&[1], &[0])).to_string(), a.matmul(&b).to_string());
    /// assert_eq!(a.tensordot(&a, (&[0, 1], &[0, 1])).item::<i32>()?, 55);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tensordot(&self, other: &Array, axes: (&[isize], &[isize])) -> Array {
        const OP: &str = "tensordot";
        let named = [("a", self), ("b", other)];
        Array::build(OP, &named, || {
            if axes.0.len() != axes.1.len() {
                let rule = format!("{} axes of a meet {} axes of b", axes.0.len(), axes.1.len());
                return Err(Error::rule(OP, rule, &named));
            }
            let a = Sides::new(self, OP, axes.0)?;
            let b = Sides::new(other, OP, axes.1)?;
            for ((&i, &j), number) in a.summed.iter().zip(&b.summed).zip(0..) {
                let (size, other_size) = (self.shape()[i], other.shape()[j]);
                if size != other_size {
                    let rule = format!(
                        "axis {i} of a has size {size}, but axis {j} of b, which is summed over with it, {other_size} (pair {number})"
                    );
                    return Err(Error::rule(OP, rule, &named));
                }
            }
            let left = a.matrix(self, false)?;
            let right = b.matrix(other, true)?;
            let mut dims = a.sizes(self, &a.free);
            dims.extend(b.sizes(other, &b.free));
            left.matmul(&right).check()?.reshape_to(Shape::new(&dims)?)
        })
    }

    /// The sum of products along an axis, of arrays that are broadcast. The first is conjugated.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// let b = Array::new(&device, [10.0f32, 100.0])?;
    /// assert_eq!(a.vecdot(&b, -1).to_vec::<f32>()?, [210.0, 430.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn vecdot(&self, other: &Array, axis: isize) -> Array {
        const OP: &str = "vecdot";
        let named = [("a", self), ("b", other)];
        Array::build(OP, &named, || {
            let (i, j) = (self.axis(OP, axis)?, other.axis(OP, axis)?);
            let (size, other_size) = (self.shape()[i], other.shape()[j]);
            if size != other_size {
                let rule = format!("axis {axis} has size {size} in a, but {other_size} in b");
                return Err(Error::rule(OP, rule, &named));
            }
            let dtype = common(OP, &named)?;
            let a = if self.dtype().is_complex() { self.conj() } else { self.clone() };
            let sum = (a.swap_axes(axis, -1) * other.swap_axes(axis, -1)).sum(-1);
            Ok(sum.check()?.cast(dtype))
        })
    }

    /// All products of an element of this array with one of `other`: a matrix of the two flattened.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (a, b) = (Array::new(&device, [1, 2])?, Array::new(&device, [3, 4, 5])?);
    /// assert_eq!(a.outer(&b).to_string(), "[[ 3  4  5]\n [ 6  8 10]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn outer(&self, other: &Array) -> Array {
        self.flatten().expand_dims(-1) * other.flatten().expand_dims(0)
    }

    /// The Kronecker product: each element of this array times all of `other`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (a, b) = (Array::new(&device, [[1, 10]])?, Array::new(&device, [[1, 2], [3, 4]])?);
    /// assert_eq!(a.kron(&b).to_string(), "[[ 1  2 10 20]\n [ 3  4 30 40]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn kron(&self, other: &Array) -> Array {
        Array::build("kron", &[("a", self), ("b", other)], || {
            let rank = self.rank().max(other.rank());
            let padded = |array: &Array| {
                let mut dims = vec![1; rank - array.rank()];
                dims.extend_from_slice(array.shape());
                dims
            };
            let (a, b) = (padded(self), padded(other));
            let between = |sizes: &[usize], first: bool| -> Vec<usize> {
                sizes.iter().flat_map(|&size| if first { [size, 1] } else { [1, size] }).collect()
            };
            let left = self.reshape_to(Shape::new(&between(&a, true))?)?;
            let right = other.reshape_to(Shape::new(&between(&b, false))?)?;
            let dims: Vec<usize> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
            (left * right).check()?.reshape_to(Shape::new(&dims)?)
        })
    }

    /// The vector product of vectors of 3 elements along an axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (x, y) = (Array::new(&device, [1, 0, 0])?, Array::new(&device, [0, 1, 0])?);
    /// assert_eq!(x.cross(&y, -1).to_vec::<i32>()?, [0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cross(&self, other: &Array, axis: isize) -> Array {
        const OP: &str = "cross";
        let named = [("a", self), ("b", other)];
        Array::build(OP, &named, || {
            let (i, j) = (self.axis(OP, axis)?, other.axis(OP, axis)?);
            if (self.shape()[i], other.shape()[j]) != (3, 3) {
                let rule = format!("axis {axis} must have 3 elements in both");
                return Err(Error::rule(OP, rule, &named));
            }
            // Each coordinate times the next of the other, less the other way round.
            let (a, b) = (self.swap_axes(axis, -1), other.swap_axes(axis, -1));
            let turned = |array: &Array, by: isize| array.roll(-by, -1);
            let cross = turned(&a, 1) * turned(&b, 2) - turned(&a, 2) * turned(&b, 1);
            cross.swap_axes(axis, -1).check().cloned()
        })
    }

    /// The diagonal of the last two axes, `offset` to the right of the main one, as the last axis. It is a
    /// view.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 6, 1).reshape(&[2, 3]);
    /// assert_eq!(a.diagonal(0).to_vec::<i32>()?, [0, 4]);
    /// assert_eq!(a.diagonal(1).to_vec::<i32>()?, [1, 5]);
    /// assert_eq!(a.diagonal(-1).to_vec::<i32>()?, [3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diagonal(&self, offset: isize) -> Array {
        const OP: &str = "diagonal";
        let named = [("array", self)];
        Array::build(OP, &named, || {
            let [.., rows, columns] = **self.shape() else {
                let rule = format!("the array has rank {}, but must have at least 2", self.rank());
                return Err(Error::rule(OP, rule, &named));
            };
            let (row, column) = ((-offset).max(0) as usize, offset.max(0) as usize);
            let len = rows.saturating_sub(row).min(columns.saturating_sub(column));
            let mut dims = self.shape()[..self.rank() - 2].to_vec();
            if len == 0 {
                dims.push(0);
                return Ok(self.filled(Shape::new(&dims)?, 0));
            }
            // In rows that are one longer, the diagonal is a column.
            let flat = self.reshape_to(Shape::new(&[&*dims, &[rows * columns]].concat())?)?;
            let start = row * columns + column;
            let step = Index::Range {
                start: Some(start as isize),
                end: Some((start + (len - 1) * (columns + 1) + 1) as isize),
                step: columns as isize + 1,
            };
            flat.slice([Index::Ellipsis, step]).check().cloned()
        })
    }

    /// The sum of the diagonal of the last two axes, with the dtypes of [`Array::sum`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.trace(0).item::<i64>()?, 5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn trace(&self, offset: isize) -> Array {
        self.diagonal(offset).sum(-1)
    }
}

/// Axes that are summed over, and the others.
struct Sides {
    summed: Vec<usize>,
    free: Vec<usize>,
}

impl Sides {
    fn new(array: &Array, op: &'static str, axes: &[isize]) -> Result<Sides> {
        let mut summed = Vec::new();
        for &axis in axes {
            let found = array.axis(op, axis)?;
            if summed.contains(&found) {
                let rule = format!("axis {axis} is given twice");
                return Err(Error::rule(op, rule, &[("array", array)]));
            }
            summed.push(found);
        }
        let free = (0..array.rank()).filter(|axis| !summed.contains(axis)).collect();
        Ok(Sides { summed, free })
    }

    fn sizes(&self, array: &Array, axes: &[usize]) -> Vec<usize> {
        axes.iter().map(|&axis| array.shape()[axis]).collect()
    }

    /// The array as a matrix, with what is summed over as columns, or as rows.
    fn matrix(&self, array: &Array, as_rows: bool) -> Result<Array> {
        let (first, then) = match as_rows {
            true => (&self.summed, &self.free),
            false => (&self.free, &self.summed),
        };
        let order: Vec<isize> = first.iter().chain(then).map(|&axis| axis as isize).collect();
        let count = |axes: &[usize]| self.sizes(array, axes).iter().product::<usize>();
        array.permute(&order).check()?.reshape_to(Shape::new(&[count(first), count(then)])?)
    }
}
