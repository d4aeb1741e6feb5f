//! Search: where values belong in a sorted list.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// For each value the number of elements of `sorted` that are less, or, if `right`, that are not
/// greater: where it would be inserted to keep the order, before or after its equals.
///
/// NaN counts as greater than all numbers, as in sorting.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::Search;
///
/// let device = bessemer_cpu::Reference::new();
/// let sorted = View::from_slice(&device, &[1.0f32, 2.0, 2.0, 5.0], &[4])?;
/// let values = View::from_slice(&device, &[2.0f32, 9.0], &[2])?;
/// let out = View::alloc(&device, DType::U32, &[2])?;
/// let mut batch = Batch::new();
/// batch.push(Search { sorted, values, right: true, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<u32>(&device)?, [3, 4]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    /// The list, of one dimension, in ascending order.
    pub sorted: View,
    /// What is looked for, of the same dtype.
    pub values: View,
    /// Whether a value belongs behind its equals.
    pub right: bool,
    /// The places, `U32`, `I32` or `I64`, of the shape of `values`.
    pub out: View,
}

impl Operation for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn check(&self) -> Result<()> {
        let Search { sorted, values, out, .. } = self;
        let check = Check::new(self.name(), [("sorted", sorted), ("values", values), ("out", out)]);
        check.rank(sorted, 1, "a list")?;
        let ordered = !sorted.dtype().is_block() && !sorted.dtype().is_complex();
        check.dtype(sorted, ordered, "of real numbers or booleans")?;
        check.same_dtype(values, sorted)?;
        check.any_index(out)?;
        check.same_shape(out, values)?;
        check.require(i32::try_from(sorted.elements()).is_ok(), || {
            format!("sorted has {} elements, but must have fewer than 2^31", sorted.elements())
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.sorted, &self.values], &[&self.out])
    }

    fn cost(&self) -> Cost {
        // Of the list, only some elements are looked at.
        let steps = u64::from(self.sorted.elements().max(2).ilog2());
        Cost::of(&Access::new(&[&self.values], &[&self.out]), self.values.elements() as u64 * steps)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::search(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::search(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::search(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
