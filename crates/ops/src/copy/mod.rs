//! Copy: the same numbers in another place, order or dtype.

mod cases;
pub(crate) mod cpu;
pub(crate) mod metal;
mod program;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = x`, from any strides to any strides, rounded to the dtype of `out`.
///
/// Floats round to even and become infinite where they are too large. To integers numbers are cut
/// off towards zero and saturate, NaN becomes 0. To `Bool` all but 0 becomes 1. Block formats are
/// only copied to the same format: [`Quantize`](crate::Quantize) and
/// [`Dequantize`](crate::Dequantize) are ops of their own. So are complex numbers: real numbers are
/// copied to a view of one of the parts.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::Copy;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.5f32, -2.5, 300.0, 4.0], &[2, 2])?;
/// let out = View::alloc(&device, DType::U8, &[2, 2])?;
/// let mut batch = Batch::new();
/// batch.push(Copy { x: x.transpose()?, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<u8>(&device)?, [1, 255, 0, 4]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Copy {
    /// What is copied.
    pub x: View,
    /// The result, of the same shape.
    pub out: View,
}

impl Operation for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn check(&self) -> Result<()> {
        let Copy { x, out } = self;
        let check = Check::new(self.name(), [("x", x), ("out", out)]);
        check.same_shape(out, x)?;
        let (from, to) = (x.dtype(), out.dtype());
        check.require(from == to || !(from.is_block() || to.is_block()), || {
            format!("x is {from} and out is {to}; use quantize or dequantize to convert blocks")
        })?;
        check.require(from == to || !(from.is_complex() || to.is_complex()), || {
            format!("x is {from} and out is {to}; copy the real and the imaginary part")
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::copy(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::copy(cpu, &self.x, &self.out);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::copy(&self.x, &self.out, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(&self.x, &self.out, gpu)
    }
}
