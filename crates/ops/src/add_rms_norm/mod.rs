//! Sum and root-mean-square norm in one: the residual step of a transformer layer.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `sum = x + y` and `out = sum / sqrt(mean(sum²) + epsilon) * weight`, over the last dimension.
///
/// All but `weight` are of one shape, of any float dtypes. `sum` may be the same view as `x` or
/// `y`, and so may `out`. The norm is that of the sum before it is rounded to the dtype of `sum`.
#[derive(Clone, Debug)]
pub struct AddRmsNorm {
    /// The residual, usually.
    pub x: View,
    /// What is added to it.
    pub y: View,
    /// What each element of a normed row is multiplied by.
    pub weight: View,
    /// Added to the mean square, so that rows of zeros stay zeros.
    pub epsilon: f32,
    /// The sum.
    pub sum: View,
    /// The normed sum.
    pub out: View,
}

impl Operation for AddRmsNorm {
    fn name(&self) -> &'static str {
        "add_rms_norm"
    }

    fn check(&self) -> Result<()> {
        let AddRmsNorm { x, y, weight, epsilon, sum, out } = self;
        let refuse = |rule: &str| {
            let operands = [("x", x), ("y", y), ("weight", weight), ("sum", sum), ("out", out)];
            Err(Error::rule(self.name(), rule, &operands))
        };
        if self.access().views().any(|view| !view.dtype().is_float()) {
            return refuse("all operands are floats");
        }
        if x.shape().rank() == 0 || [y, sum, out].iter().any(|view| view.shape() != x.shape()) {
            return refuse("x, y, sum and out have the same shape, of at least one dimension");
        }
        if **weight.shape() != [x.shape().width()] {
            return refuse("weight has one dimension, as long as the rows of x");
        }
        if !(epsilon.is_finite() && *epsilon >= 0.0) {
            return refuse("epsilon is a number of at least 0");
        }
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.y, &self.weight], &[&self.sum, &self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 5 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::add_rms_norm(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::add_rms_norm(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::add_rms_norm(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
