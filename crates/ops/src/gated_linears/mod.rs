//! Gate and up projection of a feed-forward layer: two linear layers of one `x`, joined by an activation.

mod cases;
mod metal;
mod webgpu;

pub(crate) use cases::cases;

use crate::{Activation, Gated, Linear, Linears, check::Check};
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = activation(gate) * up`, with the results of two layers: [`Linears`] and [`Gated`] in one,
/// which spares a GPU a launch, a wait, and the way of both results through memory.
///
/// Both layers have the same `x`, and results of one shape, which is that of `out`. Their own `out`
/// are room to work in: results are rounded as those would hold them, but what they hold afterwards
/// means nothing.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Activation, GatedLinears, Linear};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[10.0f32, 20.0], &[1, 2])?;
/// let layer = |weight: &[f32]| -> bessemer_core::Result<Linear> {
///     let weight = View::from_slice(&device, weight, &[1, 2])?;
///     Ok(Linear { x: x.clone(), weight, bias: None, out: View::alloc(&device, DType::F32, &[1, 1])? })
/// };
/// let (gate, up) = (layer(&[10.0, 0.0])?, layer(&[0.0, 1.0])?);
/// let out = View::alloc(&device, DType::F32, &[1, 1])?;
/// let mut batch = Batch::new();
/// batch.push(GatedLinears { gate, up, activation: Activation::Silu, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// // silu(100) is 100.
/// assert_eq!(out.to_vec::<f32>(&device)?, [2000.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GatedLinears {
    /// What decides how much passes.
    pub gate: Linear,
    /// What passes.
    pub up: Linear,
    /// How.
    pub activation: Activation,
    /// The result.
    pub out: View,
}

impl GatedLinears {
    fn layers(&self) -> Linears {
        Linears(vec![self.gate.clone(), self.up.clone()])
    }

    fn gated(&self) -> Gated {
        let GatedLinears { gate, up, activation, out } = self;
        Gated {
            gate: gate.out.clone(),
            up: up.out.clone(),
            activation: *activation,
            out: out.clone(),
        }
    }
}

impl Operation for GatedLinears {
    fn name(&self) -> &'static str {
        "gated_linears"
    }

    fn check(&self) -> Result<()> {
        self.layers().check()?;
        let GatedLinears { gate, up, out, .. } = self;
        let same = gate.x.is_same_place(&up.x) && gate.x.dtype() == up.x.dtype();
        let check = Check::new(self.name(), [("gate.x", &gate.x), ("up.x", &up.x)]);
        check.require(same, || "gate and up must have the same x".to_owned())?;
        let operands = [("gate.out", &gate.out), ("up.out", &up.out), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.same_shape(&gate.out, &up.out)?;
        check.same_shape(out, &up.out)?;
        self.gated().check()
    }

    fn access(&self) -> Access {
        let Access { reads, .. } = self.layers().access();
        let access = Access { reads, writes: vec![self.out.clone()], ..Default::default() };
        access.with_room(&[&self.gate.out, &self.up.out])
    }

    fn cost(&self) -> Cost {
        let flops = self.layers().cost().flops.saturating_add(self.gated().cost().flops);
        Cost::of(&self.access(), flops)
    }

    fn reference(&self, host: &mut Host<'_>) {
        self.layers().reference(host);
        self.gated().reference(host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        self.layers().cpu(cpu);
        self.gated().cpu(cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::gated_linears(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::gated_linears(self, gpu)
    }
}
