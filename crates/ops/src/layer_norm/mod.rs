//! Layer norm: each row shifted to mean 0 and scaled to variance 1, times a weight, plus a bias.

mod cases;
mod cpu;
mod metal;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::{NormRow, affine, moments, not_below_zero, scale_and_shift};

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias`, over the last dimension.
///
/// `x` and `out` are of one shape and any float dtypes, and may be the same view. `weight` and
/// `bias` have one element per element of a row; without them rows are only normed.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::LayerNorm;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 3.0], &[1, 2])?;
/// let weight = Some(View::from_slice(&device, &[1.0f32, 2.0], &[2])?);
/// let bias = Some(View::from_slice(&device, &[0.0f32, 5.0], &[2])?);
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// batch.push(LayerNorm { x, weight, bias, epsilon: 0.0, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [-1.0, 7.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
        let check = Check::new(self.name(), [("x", x), ("out", out)])
            .and("weight", weight.as_ref())
            .and("bias", bias.as_ref());
        check.all_floats()?;
        check.rank_at_least(x, 1)?;
        check.same_shape(out, x)?;
        for view in weight.iter().chain(bias) {
            check.shape(view, &[x.shape().width()], "one element per column of x")?;
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
