//! Layer norm: each row shifted to mean 0 and scaled to variance 1, times a weight, plus a bias.

mod cases;
mod cpu;
mod metal;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::{moments, not_below_zero, scale_and_shift};

use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias`, over the last dimension.
///
/// `x` and `out` are of one shape and any float dtypes, and may be the same view. `weight` and
/// `bias` have one element per element of a row; without them rows are only normed.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    /// The rows.
    pub x: View,
    /// What each element of a normed row is multiplied by.
    pub weight: Option<View>,
    /// What is then added to it.
    pub bias: Option<View>,
    /// Added to the variance, so that rows of equal numbers become zeros.
    pub epsilon: f32,
    /// The result.
    pub out: View,
}

impl Operation for LayerNorm {
    fn name(&self) -> &'static str {
        "layer_norm"
    }

    fn check(&self) -> Result<()> {
        let LayerNorm { x, weight, bias, epsilon, out } = self;
        let refuse = |rule: &str| {
            let mut operands = vec![("x", x), ("out", out)];
            operands.extend(weight.iter().map(|weight| ("weight", weight)));
            operands.extend(bias.iter().map(|bias| ("bias", bias)));
            Err(Error::rule(self.name(), rule, &operands))
        };
        if self.access().views().any(|view| !view.dtype().is_float()) {
            return refuse("all operands are floats");
        }
        if x.shape() != out.shape() || x.shape().rank() == 0 {
            return refuse("x and out have the same shape, of at least one dimension");
        }
        let fits = |view: &View| **view.shape() == [x.shape().width()];
        if !weight.iter().chain(bias).all(fits) {
            return refuse("weight and bias have one dimension, as long as the rows of x");
        }
        if !(epsilon.is_finite() && *epsilon >= 0.0) {
            return refuse("epsilon is a number of at least 0");
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let mut access = Access::new(&[&self.x], &[&self.out]).in_place();
        access.reads.extend(self.weight.iter().chain(&self.bias).cloned());
        access
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 7 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::layer_norm(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::layer_norm(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::layer_norm(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
