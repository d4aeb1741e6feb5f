//! The product of two vectors.

use super::{cpu, metal, reference};
use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = a · b`, the sum of the products of two vectors, summed in `f32`.
///
/// `a` and `b` have one dimension and the same length; `out` has one element. All are floats.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Dot;
///
/// let device = bessemer_cpu::Reference::new();
/// let a = View::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3])?;
/// let b = View::from_slice(&device, &[4.0f32, 5.0, 6.0], &[3])?;
/// let out = View::alloc(&device, a.dtype(), &[1])?;
/// let mut batch = Batch::new();
/// batch.push(Dot { a, b, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [32.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dot {
    /// One vector.
    pub a: View,
    /// The other.
    pub b: View,
    /// The sum.
    pub out: View,
}

impl Operation for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn check(&self) -> Result<()> {
        let Dot { a, b, out } = self;
        let check = Check::new(self.name(), [("a", a), ("b", b), ("out", out)]);
        check.all_floats()?;
        check.rank(a, 1, "a vector")?;
        check.same_shape(b, a)?;
        check.require(out.elements() == 1, || {
            format!("out has shape {}, but must have exactly one element", out.shape())
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.a, &self.b], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 2 * self.a.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::dot(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::dot(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::dot(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        super::webgpu::dot(self, gpu)
    }
}
