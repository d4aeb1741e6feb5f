//! Root-mean-square norm: each row divided by its root mean square, times a weight.

mod cases;
mod cpu;
mod metal;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::NormRow;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = x / sqrt(mean(x²) + epsilon) * weight`, over the last dimension.
///
/// `x` and `out` are of one shape and any float dtypes, and may be the same view. `weight` has one
/// element per element of a row.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::RmsNorm;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[3.0f32, 3.0, -2.0, -2.0], &[2, 2])?;
/// let weight = View::from_slice(&device, &[1.0f32, 10.0], &[2])?;
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// batch.push(RmsNorm { x, weight, epsilon: 0.0, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.0, 10.0, -1.0, -10.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RmsNorm {
    /// The rows.
    pub x: View,
    /// What each element of a normed row is multiplied by.
    pub weight: View,
    /// Added to the mean square, so that rows of zeros stay zeros.
    pub epsilon: f32,
    /// The result.
    pub out: View,
}

impl Operation for RmsNorm {
    fn name(&self) -> &'static str {
        "rms_norm"
    }

    fn check(&self) -> Result<()> {
        let RmsNorm { x, weight, epsilon, out } = self;
        let check = Check::new(self.name(), [("x", x), ("weight", weight), ("out", out)]);
        check.all_floats()?;
        check.rank_at_least(x, 1)?;
        check.same_shape(out, x)?;
        check.shape(weight, &[x.shape().width()], "one element per column of x")?;
        check.epsilon(*epsilon)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.weight], &[&self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 4 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::rms_norm(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::rms_norm(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::rms_norm(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
