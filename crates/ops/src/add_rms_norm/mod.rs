//! Sum and root-mean-square norm in one: the residual step of a transformer layer.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::sum_and_norm;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `sum = x + y` and `out = sum / sqrt(mean(sum²) + epsilon) * weight`, over the last dimension.
///
/// All but `weight` are of one shape, of any float dtypes. `sum` may be the same view as `x` or
/// `y`, and so may `out`. The norm is that of the sum before it is rounded to the dtype of `sum`.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::AddRmsNorm;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, -1.0], &[1, 2])?;
/// let y = View::from_slice(&device, &[1.0f32, -1.0], &[1, 2])?;
/// let weight = View::from_slice(&device, &[1.0f32, 10.0], &[2])?;
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// // The sum replaces `x`.
/// batch.push(AddRmsNorm { x: x.clone(), y, weight, epsilon: 0.0, sum: x.clone(), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(x.to_vec::<f32>(&device)?, [2.0, -2.0]);
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.0, -10.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
        let operands = [("x", x), ("y", y), ("weight", weight), ("sum", sum), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.all_floats()?;
        check.rank_at_least(x, 1)?;
        for view in [y, sum, out] {
            check.same_shape(view, x)?;
        }
        check.shape(weight, &[x.shape().width()], "one element per column of x")?;
        check.epsilon(*epsilon)
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
