//! The product of two vectors.

use super::{cpu, metal, reference};
use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = a · b`, the sum of the products of two vectors, summed in `f32`.
///
/// `a` and `b` have one dimension and the same length; `out` has one element. All are floats.
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
        let views = [("a", a), ("b", b), ("out", out)];
        let refuse = |rule: &str| Err(Error::rule(self.name(), rule, &views));
        if views.iter().any(|(_, view)| !view.dtype().is_float()) {
            return refuse("all operands are floats");
        }
        if a.shape().rank() != 1 || a.shape() != b.shape() {
            return refuse("a and b have one dimension, of the same length");
        }
        if out.elements() != 1 {
            return refuse("out has one element");
        }
        Ok(())
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
