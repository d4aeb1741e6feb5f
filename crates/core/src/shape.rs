//! Sizes and strides of n-dimensional views, stored inline: creating one allocates nothing.

use crate::{Error, Result};
use std::{fmt, ops::Deref};

/// The most dimensions a shape can have.
pub const MAX_RANK: usize = 8;

/// The size of each dimension, slowest first.
///
/// The number of elements always fits an `isize`, so products of its parts never overflow.
///
/// ```
/// use bessemer_core::Shape;
///
/// let shape = Shape::new(&[2, 3, 4])?;
/// assert_eq!(shape.elements(), 24);
/// assert_eq!(shape.to_string(), "[2, 3, 4]");
/// assert!(Shape::new(&[usize::MAX, 2]).is_err());
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: [usize; MAX_RANK],
    rank: u8,
}

/// How far apart neighbours along each dimension are, in elements; 0 repeats, negative runs
/// backwards.
///
/// ```
/// use bessemer_core::{Shape, Strides};
///
/// assert_eq!(*Shape::new(&[2, 3, 4])?.strides(), [12, 4, 1]);
/// let backwards = Strides::new(&[-4, 1])?;
/// assert_eq!(backwards[0], -4);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Strides {
    steps: [isize; MAX_RANK],
    rank: u8,
}

impl Shape {
    /// A shape of these sizes. At most [`MAX_RANK`] of them, and their product must fit.
    ///
    /// ```
    /// use bessemer_core::{MAX_RANK, Shape};
    ///
    /// assert_eq!(Shape::new(&[])?, Shape::SCALAR);
    /// assert!(Shape::new(&[1; MAX_RANK]).is_ok());
    /// assert!(Shape::new(&[1; MAX_RANK + 1]).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn new(dims: &[usize]) -> Result<Shape> {
        if dims.len() > MAX_RANK {
            return Err(Error::view(format!(
                "shape {dims:?}: {} dimensions are too many; at most {MAX_RANK} are supported",
                dims.len()
            )));
        }
        // Zeros are left out: [0, huge, huge] must not let other products overflow.
        let product = dims.iter().filter(|&&d| d > 0).try_fold(1usize, |n, &d| n.checked_mul(d));
        if product.is_none_or(|n| isize::try_from(n).is_err()) {
            return Err(Error::view(format!("shape {dims:?}: the number of elements overflows")));
        }
        let mut shape = Shape { dims: [1; MAX_RANK], rank: dims.len() as u8 };
        shape.dims[..dims.len()].copy_from_slice(dims);
        Ok(shape)
    }

    /// The shape of a single number.
    pub const SCALAR: Shape = Shape { dims: [1; MAX_RANK], rank: 0 };

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.iter().product()
    }

    /// The size of the last dimension; 1 for a scalar.
    pub fn width(&self) -> usize {
        self.last().copied().unwrap_or(1)
    }

    /// How many rows of [`Shape::width`] there are.
    ///
    /// ```
    /// use bessemer_core::Shape;
    ///
    /// let shape = Shape::new(&[2, 3, 4])?;
    /// assert_eq!((shape.rows(), shape.width()), (6, 4));
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.dims[..self.rank().saturating_sub(1)].iter().product()
    }

    /// The strides of a gapless view of this shape.
    ///
    /// ```
    /// use bessemer_core::Shape;
    ///
    /// assert_eq!(*Shape::new(&[5, 7])?.strides(), [7, 1]);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn strides(&self) -> Strides {
        let mut strides = Strides { steps: [0; MAX_RANK], rank: self.rank };
        let mut step = 1isize;
        for axis in (0..self.rank()).rev() {
            strides.steps[axis] = step;
            step *= self.dims[axis].max(1) as isize;
        }
        strides
    }

    /// The sizes, followed by ones.
    pub(crate) fn padded(&self) -> &[usize; MAX_RANK] {
        &self.dims
    }

    /// The shape both broadcast to by NumPy's rule, if there is one.
    ///
    /// ```
    /// use bessemer_core::Shape;
    ///
    /// let (column, row) = (Shape::new(&[3, 1])?, Shape::new(&[4])?);
    /// assert_eq!(*column.broadcast(&row)?, [3, 4]);
    /// assert!(row.broadcast(&Shape::new(&[5])?).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn broadcast(&self, other: &Shape) -> Result<Shape> {
        let rank = self.rank().max(other.rank());
        let mut dims = [1; MAX_RANK];
        for i in 0..rank {
            let size = |s: &Shape| if i < s.rank() { s[s.rank() - 1 - i] } else { 1 };
            dims[rank - 1 - i] = match (size(self), size(other)) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                (a, b) => {
                    return Err(Error::view(format!(
                        "shapes {self} and {other} do not broadcast: {a} against {b} in \
                         dimension {} from the right",
                        i + 1
                    )));
                }
            };
        }
        Shape::new(&dims[..rank])
    }
}

impl Strides {
    /// Strides of these steps.
    pub fn new(steps: &[isize]) -> Result<Strides> {
        if steps.len() > MAX_RANK {
            return Err(Error::view(format!(
                "strides {steps:?}: {} dimensions are too many; at most {MAX_RANK} are supported",
                steps.len()
            )));
        }
        let mut strides = Strides { steps: [0; MAX_RANK], rank: steps.len() as u8 };
        strides.steps[..steps.len()].copy_from_slice(steps);
        Ok(strides)
    }

    /// The steps, followed by zeros.
    pub(crate) fn padded(&self) -> &[isize; MAX_RANK] {
        &self.steps
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.dims[..usize::from(self.rank)]
    }
}

impl Deref for Strides {
    type Target = [isize];

    fn deref(&self) -> &[isize] {
        &self.steps[..usize::from(self.rank)]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &**self)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &**self)
    }
}

impl fmt::Debug for Strides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &**self)
    }
}

impl TryFrom<&[usize]> for Shape {
    type Error = Error;

    fn try_from(dims: &[usize]) -> Result<Shape> {
        Shape::new(dims)
    }
}

impl<const N: usize> TryFrom<[usize; N]> for Shape {
    type Error = Error;

    fn try_from(dims: [usize; N]) -> Result<Shape> {
        Shape::new(&dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_overflow() {
        assert_eq!(Shape::new(&[0, 5]).unwrap().elements(), 0);
        assert!(Shape::new(&[0, usize::MAX, 3]).is_err());
        assert!(Shape::new(&[1; 9]).is_err());
        assert_eq!(Shape::SCALAR.elements(), 1);
        assert_eq!((Shape::SCALAR.rows(), Shape::SCALAR.width()), (1, 1));
    }

    #[test]
    fn broadcasting_follows_numpy() {
        let shape = |dims: &[usize]| Shape::new(dims).unwrap();
        assert_eq!(shape(&[3, 1]).broadcast(&shape(&[4])).unwrap(), shape(&[3, 4]));
        assert_eq!(shape(&[0]).broadcast(&shape(&[1])).unwrap(), shape(&[0]));
        assert_eq!(Shape::SCALAR.broadcast(&shape(&[2])).unwrap(), shape(&[2]));
        assert!(shape(&[3]).broadcast(&shape(&[4])).is_err());
    }

    #[test]
    fn gapless_strides() {
        assert_eq!(&*Shape::new(&[2, 3, 4]).unwrap().strides(), &[12, 4, 1]);
    }
}
