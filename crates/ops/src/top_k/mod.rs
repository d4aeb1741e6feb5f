//! Top-k: the largest elements of each row and where they are.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// The `k` largest elements of each row (last dimension) of `x`, largest first, and their indices.
///
/// `k` is the last dimension of `values` and `indices`; with 1 it is the argmax. Of equal elements
/// the one of the lowest index comes first. NaN counts as larger than all numbers, as in NumPy's
/// argmax.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::TopK;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 7.0, 3.0, 5.0], &[4])?;
/// let values = View::alloc(&device, DType::F32, &[2])?;
/// let indices = View::alloc(&device, DType::U32, &[2])?;
/// let mut batch = Batch::new();
/// batch.push(TopK { x, values: values.clone(), indices: indices.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(values.to_vec::<f32>(&device)?, [7.0, 5.0]);
/// assert_eq!(indices.to_vec::<u32>(&device)?, [1, 3]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TopK {
    /// The rows, any float.
    pub x: View,
    /// The largest elements, any float.
    pub values: View,
    /// Their places in the rows, `U32`.
    pub indices: View,
}

impl Operation for TopK {
    fn name(&self) -> &'static str {
        "top_k"
    }

    fn check(&self) -> Result<()> {
        let TopK { x, values, indices } = self;
        let operands = [("x", x), ("values", values), ("indices", indices)];
        let check = Check::new(self.name(), operands);
        check.float(x)?;
        check.float(values)?;
        check.is(indices, DType::U32)?;
        check.rank_at_least(x, 1)?;
        check.same_shape(indices, values)?;
        let (shape, rank) = (values.shape(), x.shape().rank());
        let fits = shape.rank() == rank && shape[..rank - 1] == x.shape()[..rank - 1];
        check.require(fits, || {
            let wanted = x.shape();
            format!(
                "values has shape {shape}, but must match x, {wanted}, except along the last axis"
            )
        })?;
        let (k, width) = (shape.width(), x.shape().width());
        check.require(k <= width, || {
            format!("the {k} largest are asked for, but rows of x have {width} elements")
        })?;
        check.require(u32::try_from(width).is_ok(), || {
            format!("rows of x have {width} elements, but indices are u32")
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.values, &self.indices])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::top_k(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::top_k(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::top_k(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
