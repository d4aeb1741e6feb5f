//! Group norm: groups of channels shifted to mean 0 and scaled to variance 1.

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

/// `out = (x - mean) / sqrt(variance + epsilon) * weight + bias`, the mean and variance being those
/// of a group of channels of one item.
///
/// `x` is `[items, channels, ..]` and any float, as is `out`; they may be the same view. The
/// channels are split evenly into `groups`. `weight` and `bias` have one element per channel.
#[derive(Clone, Debug)]
pub struct GroupNorm {
    /// The items.
    pub x: View,
    /// Into how many groups the channels are split.
    pub groups: usize,
    /// What each channel is multiplied by.
    pub weight: Option<View>,
    /// What is then added to it.
    pub bias: Option<View>,
    /// Added to the variance, so that groups of equal numbers become zeros.
    pub epsilon: f32,
    /// The result.
    pub out: View,
}

impl Operation for GroupNorm {
    fn name(&self) -> &'static str {
        "group_norm"
    }

    fn check(&self) -> Result<()> {
        let GroupNorm { x, groups, weight, bias, epsilon, out } = self;
        let refuse = |rule: String| {
            let mut operands = vec![("x", x), ("out", out)];
            operands.extend(weight.iter().map(|weight| ("weight", weight)));
            operands.extend(bias.iter().map(|bias| ("bias", bias)));
            Err(Error::rule(self.name(), rule, &operands))
        };
        if self.access().views().any(|view| !view.dtype().is_float()) {
            return refuse("all operands are floats".into());
        }
        if x.shape() != out.shape() || x.shape().rank() < 2 {
            return refuse("x and out have the same shape, of at least two dimensions".into());
        }
        let channels = x.shape()[1];
        if *groups == 0 || !channels.is_multiple_of(*groups) {
            return refuse(format!("{channels} channels split evenly into {groups} groups"));
        }
        let fits = |view: &View| **view.shape() == [channels];
        if !weight.iter().chain(bias).all(fits) {
            return refuse("weight and bias have one dimension, one element per channel".into());
        }
        if !(epsilon.is_finite() && *epsilon >= 0.0) {
            return refuse("epsilon is a number of at least 0".into());
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
        reference::group_norm(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::group_norm(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::group_norm(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
