//! Padding: more elements before and behind those of each axis.

use crate::{Array, Error, Result, Scalar};
use bessemer_core::Shape;

/// What is put before and behind the elements of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pad {
    /// The same number everywhere.
    Constant(Scalar),
    /// The first and the last element again.
    Edge,
    /// Backwards from the edge, without the element there: `3 2 | 1 2 3 | 2 1`.
    Reflect,
    /// Backwards from the edge: `2 1 | 1 2 3 | 3 2`.
    Symmetric,
    /// From the other end: `2 3 | 1 2 3 | 1 2`.
    Wrap,
}

impl Array {
    /// With `(before, behind)` more elements along each axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Pad;
    /// let a = Array::new(&device, [1, 2, 3])?;
    /// assert_eq!(a.pad(&[(2, 1)], Pad::Constant(0.into())).to_vec::<i32>()?, [0, 0, 1, 2, 3, 0]);
    /// assert_eq!(a.pad(&[(2, 1)], Pad::Edge).to_vec::<i32>()?, [1, 1, 1, 2, 3, 3]);
    /// assert_eq!(a.pad(&[(2, 2)], Pad::Reflect).to_vec::<i32>()?, [3, 2, 1, 2, 3, 2, 1]);
    /// assert_eq!(a.pad(&[(2, 1)], Pad::Symmetric).to_vec::<i32>()?, [2, 1, 1, 2, 3, 3]);
    /// assert_eq!(a.pad(&[(2, 1)], Pad::Wrap).to_vec::<i32>()?, [2, 3, 1, 2, 3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn pad(&self, widths: &[(usize, usize)], with: Pad) -> Array {
        const OP: &str = "pad";
        let named = [("array", self)];
        Array::build(OP, &named, || {
            if widths.len() != self.rank() {
                let rule = format!("{} widths are given for {} axes", widths.len(), self.rank());
                return Err(Error::rule(OP, rule, &named));
            }
            let mut array = self.clone();
            for (axis, &(before, behind)) in widths.iter().enumerate() {
                if (before, behind) == (0, 0) {
                    continue;
                }
                let size = array.shape()[axis];
                if size == 0 && !matches!(with, Pad::Constant(_)) {
                    let rule = format!("axis {axis} has no elements to pad it with");
                    return Err(Error::rule(OP, rule, &named));
                }
                array = match with {
                    Pad::Constant(value) => array.framed(axis, before, behind, value)?,
                    with => {
                        let places = (0..before + size + behind)
                            .map(|i| source(with, i as i64 - before as i64, size as i64));
                        let places: Vec<i64> = places.collect();
                        let places =
                            Array::from_vec(self.device(), places, &[before + size + behind])?;
                        array.take(&places, axis as isize).check()?.clone()
                    }
                };
            }
            Ok(array)
        })
    }

    /// With the same number before and behind an axis.
    fn framed(&self, axis: usize, before: usize, behind: usize, value: Scalar) -> Result<Array> {
        let value = value.stored_as("pad", self.dtype(), self)?;
        let block = |count: usize| {
            let mut dims = self.shape().to_vec();
            dims[axis] = count;
            Ok::<_, Error>(self.filled(Shape::new(&dims)?, value))
        };
        Array::concat(&[&block(before)?, self, &block(behind)?], axis as isize)
    }
}

/// The element that stands at place `at`, counted from the first of `size`.
fn source(with: Pad, at: i64, size: i64) -> i64 {
    match with {
        Pad::Wrap => at.rem_euclid(size),
        Pad::Symmetric => {
            let at = at.rem_euclid(2 * size);
            if at < size { at } else { 2 * size - 1 - at }
        }
        Pad::Reflect if size > 1 => {
            let at = at.rem_euclid(2 * size - 2);
            if at < size { at } else { 2 * size - 2 - at }
        }
        _ => at.clamp(0, size - 1),
    }
}
