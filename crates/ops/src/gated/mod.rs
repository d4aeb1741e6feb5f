//! Gated activations: one half of a feed-forward layer decides how much of the other passes.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::activate;
pub(crate) use metal::{msl_name, msl_number};
pub(crate) use reference::activated;
pub(crate) use webgpu::{wgsl_maths, wgsl_name};

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = activation(gate) * up`, element by element.
///
/// All are of one shape and any float dtypes; `out` may be the same view as either input. The halves
/// of one wider array are two views of it.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::{Activation, Gated};
///
/// let device = bessemer_cpu::Reference::new();
/// let gate = View::from_slice(&device, &[0.0f32, 100.0, -100.0], &[3])?;
/// let up = View::from_slice(&device, &[5.0f32, 2.0, 5.0], &[3])?;
/// let out = View::alloc(&device, up.dtype(), up.shape())?;
/// let mut batch = Batch::new();
/// batch.push(Gated { gate, up, activation: Activation::Silu, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// let result = out.to_vec::<f32>(&device)?;
/// assert_eq!((result[0], result[1]), (0.0, 200.0));
/// assert!(result[2].abs() < 1e-6);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gated {
    /// What is activated.
    pub gate: View,
    /// What it is multiplied with.
    pub up: View,
    /// How.
    pub activation: Activation,
    /// The result.
    pub out: View,
}

/// The activation of a gate, or of a linear layer ([`ActivatedLinears`](crate::ActivatedLinears)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// `x / (1 + exp(-x))`: with it the layer is called SwiGLU.
    Silu,
    /// `x * (1 + erf(x / √2)) / 2`.
    Gelu,
    /// `x * (1 + tanh(√(2/π) * (x + 0.044715 x³))) / 2`.
    GeluTanh,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// `max(x, 0)²`.
    SquaredRelu,
}

impl Activation {
    /// All of them.
    pub(crate) const ALL: [Activation; 6] = [
        Activation::Silu,
        Activation::Gelu,
        Activation::GeluTanh,
        Activation::Sigmoid,
        Activation::Tanh,
        Activation::SquaredRelu,
    ];
}

impl Operation for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn check(&self) -> Result<()> {
        let Gated { gate, up, out, .. } = self;
        let check = Check::new(self.name(), [("gate", gate), ("up", up), ("out", out)]);
        check.all_floats()?;
        check.same_shape(gate, out)?;
        check.same_shape(up, out)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.gate, &self.up], &[&self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 8 * self.out.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::gated(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::gated(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::gated(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
