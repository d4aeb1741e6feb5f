//! Several linear layers of the same activations, in one go.

use super::{Layer, Linear, cpu, metal, webgpu};
use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Linear layers that all have the same `x`: the queries, keys and values of attention, or the gate
/// and the rest of a feed-forward part.
///
/// It means what its layers mean, one after the other. Devices prepare the activations once, and
/// small layers do not wait for each other.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Linear, Linears};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
/// let layer = |weight: &[f32]| -> bessemer_core::Result<Linear> {
///     let weight = View::from_slice(&device, weight, &[1, 2])?;
///     Ok(Linear { x: x.clone(), weight, bias: None, out: View::alloc(&device, DType::F32, &[1, 1])? })
/// };
/// let (a, b) = (layer(&[1.0, 1.0])?, layer(&[1.0, -1.0])?);
/// let mut batch = Batch::new();
/// batch.push(Linears(vec![a.clone(), b.clone()]))?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(a.out.to_vec::<f32>(&device)?, [3.0]);
/// assert_eq!(b.out.to_vec::<f32>(&device)?, [-1.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linears(pub Vec<Linear>);

impl Operation for Linears {
    fn name(&self) -> &'static str {
        "linears"
    }

    fn check(&self) -> Result<()> {
        let Some(first) = self.0.first() else {
            return Err(Check::new(self.name(), []).error("there are no layers to compute"));
        };
        for (i, layer) in self.0.iter().enumerate() {
            layer.check()?;
            let same = layer.x.is_same_place(&first.x) && layer.x.dtype() == first.x.dtype();
            let operands = [("x of layer 0", &first.x), ("its own x", &layer.x)];
            Check::new(self.name(), operands).require(same, || {
                format!("layer {i} has an x of its own, but must share that of layer 0")
            })?;
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let mut reads = vec![&self.0[0].x];
        reads.extend(self.0.iter().map(|layer| &layer.weight));
        reads.extend(self.0.iter().filter_map(|layer| layer.bias.as_ref()));
        let writes: Vec<_> = self.0.iter().map(|layer| &layer.out).collect();
        Access::new(&reads, &writes)
    }

    fn cost(&self) -> Cost {
        let flops = self.0.iter().map(|layer| layer.cost().flops);
        Cost::of(&self.access(), flops.fold(0, u64::saturating_add))
    }

    fn reference(&self, host: &mut Host<'_>) {
        self.0.iter().for_each(|layer| layer.reference(host));
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let layers: Vec<Layer<'_>> = self.0.iter().map(Linear::layer).collect();
        cpu::linears(&layers, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::linears(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(&self.0.iter().collect::<Vec<_>>(), gpu)
    }
}
