//! Taking one element for each index, along a dimension.

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

/// `out[a, i, b] = x[a, indices[a, i, b], b]`, where the index stands in dimension `axis`.
///
/// `x` and `indices` have the same sizes but along `axis`. An index below 0 counts from the end; one
/// outside gives NaN for floats and 0 otherwise.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::TakeAlong;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let indices = View::from_slice(&device, &[2, 0], &[2, 1])?;
/// let out = View::alloc(&device, DType::I32, &[2, 1])?;
/// let mut batch = Batch::new();
/// batch.push(TakeAlong { x, indices, axis: 1, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<i32>(&device)?, [3, 4]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TakeAlong {
    /// What is taken from.
    pub x: View,
    /// Which elements, `I32`, `U32` or `I64`.
    pub indices: View,
    /// The dimension that the indices count along.
    pub axis: usize,
    /// The output, of the shape of `indices` and the dtype of `x`.
    pub out: View,
}

impl Operation for TakeAlong {
    fn name(&self) -> &'static str {
        "take_along"
    }

    fn check(&self) -> Result<()> {
        let TakeAlong { x, indices, axis, out } = self;
        let check = Check::new(self.name(), [("x", x), ("indices", indices), ("out", out)]);
        check.dtype(x, !x.dtype().is_block(), "a dtype that is not quantised")?;
        check.any_index(indices)?;
        check.same_dtype(out, x)?;
        check.axis("x", x, *axis)?;
        let mut wanted = x.shape().to_vec();
        if let Some(&size) = indices.shape().get(*axis) {
            wanted[*axis] = size;
        }
        check.shape(indices, &wanted, "that of x, except along the axis")?;
        check.same_shape(out, indices)?;
        check.require(i32::try_from(x.shape()[*axis]).is_ok(), || {
            format!(
                "x has {} elements along axis {axis}, but must have fewer than 2^31",
                x.shape()[*axis]
            )
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.indices], &[&self.out])
    }

    fn cost(&self) -> Cost {
        // Of x, only what is taken is read.
        let taken = (self.out.elements() * self.x.dtype().block_bytes()) as u64;
        let mut cost = Cost::of(&Access::new(&[&self.indices], &[&self.out]), 0);
        cost.bytes += taken;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::take_along(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::take_along(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::take_along(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
