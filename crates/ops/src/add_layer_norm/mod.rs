//! Sum and layer norm in one: the residual step of models with layer norms, such as RWKV.

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

/// `sum = x + y` and `out = (sum - mean(sum)) / sqrt(variance(sum) + epsilon) * weight + bias`, over the
/// last dimension.
///
/// All but `weight` and `bias` are of one shape, of any float dtypes. `sum` may be the same view as `x`
/// or `y`, and so may `out`. The norm is that of the sum before it is rounded to the dtype of `sum`.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::AddLayerNorm;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 3.0], &[1, 2])?;
/// let y = View::from_slice(&device, &[1.0f32, 5.0], &[1, 2])?;
/// let weight = View::from_slice(&device, &[1.0f32, 10.0], &[2])?;
/// let bias = Some(View::from_slice(&device, &[0.0f32, 5.0], &[2])?);
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// // The sum replaces `x`.
/// let (sum, epsilon) = (x.clone(), 0.0);
/// batch.push(AddLayerNorm { x: x.clone(), y, weight, bias, epsilon, sum, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(x.to_vec::<f32>(&device)?, [2.0, 8.0]);
/// assert_eq!(out.to_vec::<f32>(&device)?, [-1.0, 15.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AddLayerNorm {
    /// The residual, usually.
    pub x: View,
    /// What is added to it.
    pub y: View,
    /// What each element of a normed row is multiplied by.
    pub weight: View,
    /// What is then added to it.
    pub bias: Option<View>,
    /// Added to the variance, so that rows of equal numbers become zeros.
    pub epsilon: f32,
    /// The sum.
    pub sum: View,
    /// The normed sum.
    pub out: View,
}

impl Operation for AddLayerNorm {
    fn name(&self) -> &'static str {
        "add_layer_norm"
    }

    fn check(&self) -> Result<()> {
        let AddLayerNorm { x, y, weight, bias, epsilon, sum, out } = self;
        let operands = [("x", x), ("y", y), ("weight", weight), ("sum", sum), ("out", out)];
        let check = Check::new(self.name(), operands).and("bias", bias.as_ref());
        check.all_floats()?;
        check.rank_at_least(x, 1)?;
        for view in [y, sum, out] {
            check.same_shape(view, x)?;
        }
        for view in [weight].into_iter().chain(bias) {
            check.shape(view, &[x.shape().width()], "one element per column of x")?;
        }
        check.epsilon(*epsilon)
    }

    fn access(&self) -> Access {
        let mut access =
            Access::new(&[&self.x, &self.y, &self.weight], &[&self.sum, &self.out]).in_place();
        access.reads.extend(self.bias.clone());
        access
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 8 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::add_layer_norm(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::add_layer_norm(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::add_layer_norm(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
