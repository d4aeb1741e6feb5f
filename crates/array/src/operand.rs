//! What stands on the other side of an array.

use crate::{Array, Scalar};

/// An array or a plain number: what functions of two take.
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
