//! The other operand of a binary operation.

use crate::{Array, Scalar};

/// An array or a plain number: what functions of two take.
///
/// ```
/// use bessemer_array::{Array, Operand};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
///
/// fn distance<'a>(a: &Array, b: impl Into<Operand<'a>>) -> Array {
///     let b = b.into();
///     a.maximum(b) - a.minimum(b)
/// }
///
/// let a = Array::new(&device, [1, 5, 9])?;
/// assert_eq!(distance(&a, 4).to_vec::<i32>()?, [3, 1, 5]);
/// assert_eq!(distance(&a, &a.flip(..)).to_vec::<i32>()?, [8, 0, 8]);
/// # Ok::<(), bessemer_array::Error>(())
/// ```
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// An array.
    Array(&'a Array),
    /// A number.
    Scalar(Scalar),
}

impl<'a> From<&'a Array> for Operand<'a> {
    fn from(array: &'a Array) -> Operand<'a> {
        Operand::Array(array)
    }
}

impl<T: Into<Scalar>> From<T> for Operand<'_> {
    fn from(number: T) -> Self {
        Operand::Scalar(number.into())
    }
}
