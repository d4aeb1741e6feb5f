//! Ops that are not made of programs, and functions that are computed on the host, as nodes of the graph.

use crate::{Item, Result};
use bessemer_core::{Batch, Device, View};

/// An op whose inputs have to lie in memory.
pub(crate) trait Call: Send + Sync {
    /// Its name in errors and explanations.
    fn name(&self) -> &'static str;

    /// Whether the op takes no gaps within the rows of an input.
    fn has_gapless_rows(&self, _input: usize) -> bool {
        false
    }

    /// Adds what computes `out` from `inputs` to a batch.
    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()>;
}

/// A function that is computed on the host, between two batches: its inputs are copied from the device,
/// and its result to it.
#[cfg_attr(not(any(feature = "fft", feature = "linalg")), allow(dead_code))]
pub(crate) trait HostCall: Send + Sync {
    /// Its name in errors and explanations.
    fn name(&self) -> &'static str;

    /// Computes the result.
    fn run(&self, operands: &HostOperands<'_>) -> Result<()>;
}

/// The operands of a function on the host, all without gaps.
pub(crate) struct HostOperands<'a> {
    pub(crate) device: &'a dyn Device,
    pub(crate) inputs: Vec<View>,
    pub(crate) out: View,
}

#[cfg_attr(not(any(feature = "fft", feature = "linalg")), allow(dead_code))]
impl HostOperands<'_> {
    /// The sizes of an input.
    pub(crate) fn dims(&self, input: usize) -> &[usize] {
        self.inputs[input].shape()
    }

    /// The elements of an input, whose dtype is that of `T`.
    pub(crate) fn read<T: Item>(&self, input: usize) -> Result<Vec<T>> {
        let view = &self.inputs[input];
        let slice = view.slice()?;
        Ok(T::collect(view.elements(), |bytes| self.device.read(&slice, bytes))?)
    }

    /// Writes all elements of the result, whose dtype is that of `T`.
    pub(crate) fn write<T: Item>(&self, items: &[T]) -> Result<()> {
        Ok(self.device.write(&self.out.slice()?, &T::bytes(items))?)
    }
}
