//! Group norm: groups of channels shifted to mean 0 and scaled to variance 1.

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

/// `out = (x - mean) / sqrt(variance + epsilon) * weight + bias`, the mean and variance being those
/// of a group of channels of one item.
///
/// `x` is `[items, channels, ..]` and any float, as is `out`; they may be the same view. The
/// channels are split evenly into `groups`. `weight` and `bias` have one element per channel.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::GroupNorm;
///
/// let device = bessemer_cpu::Reference::new();
/// // One item of four channels in two groups, each of which is normed by itself.
/// let x = View::from_slice(&device, &[1.0f32, 3.0, 10.0, 30.0], &[1, 4])?;
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// let (weight, bias) = (None, None);
/// batch.push(GroupNorm { x, groups: 2, weight, bias, epsilon: 0.0, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [-1.0, 1.0, -1.0, 1.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
        let check = Check::new(self.name(), [("x", x), ("out", out)])
            .and("weight", weight.as_ref())
            .and("bias", bias.as_ref());
        check.all_floats()?;
        check.rank_at_least(x, 2)?;
        check.same_shape(out, x)?;
        let channels = x.shape()[1];
        check.require(*groups > 0 && channels.is_multiple_of(*groups), || {
            format!("{channels} channels cannot be split evenly into {groups} groups")
        })?;
        for view in weight.iter().chain(bias) {
            check.shape(view, &[channels], "one element per channel of x")?;
        }
        check.epsilon(*epsilon)
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
