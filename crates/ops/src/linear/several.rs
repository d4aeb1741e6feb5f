//! Several linear layers in one go.

use super::{Linear, cpu, metal, reference, webgpu};
use crate::{Activation, check::Check};
use bessemer_core::{
    Access, Cost, Host, Operation, Result,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Linear layers that do not depend on each other: the queries, keys and values of attention, or the
/// projections of several mixes of a token with the one before it.
///
/// It means what its layers mean, one after the other, bit for bit. All have the same number of rows.
/// They may have an `x` in common or each its own, of any length, and weights of any dtypes. Devices
/// prepare activations that layers share once, and small layers do not wait for each other.
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

/// [`Linears`], some of which have an activation: the result of such a layer is that of its sums with
/// their bias, rounded only once.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Activation, ActivatedLinears, Linear};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
/// let layer = |weight: &[f32]| -> bessemer_core::Result<Linear> {
///     let weight = View::from_slice(&device, weight, &[1, 2])?;
///     Ok(Linear { x: x.clone(), weight, bias: None, out: View::alloc(&device, DType::F32, &[1, 1])? })
/// };
/// let (a, b) = (layer(&[1.0, 1.0])?, layer(&[1.0, -1.0])?);
/// let mut batch = Batch::new();
/// let layers = vec![(a.clone(), Some(Activation::SquaredRelu)), (b.clone(), None)];
/// batch.push(ActivatedLinears(layers))?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(a.out.to_vec::<f32>(&device)?, [9.0]);
/// assert_eq!(b.out.to_vec::<f32>(&device)?, [-1.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ActivatedLinears(pub Vec<(Linear, Option<Activation>)>);

/// A layer and what becomes of its sums.
pub(super) type Activated<'a> = (&'a Linear, Option<Activation>);

/// What both ops are.
trait Several: Operation {
    fn layers(&self) -> Vec<Activated<'_>>;

    fn check_all(&self) -> Result<()> {
        let layers = self.layers();
        let Some((first, _)) = layers.first() else {
            return Err(Check::new(self.name(), []).error("there are no layers to compute"));
        };
        for (i, (layer, _)) in layers.iter().enumerate() {
            layer.check()?;
            let (rows, wanted) = (layer.x.shape().rows(), first.x.shape().rows());
            let operands = [("x of layer 0", &first.x), ("its own x", &layer.x)];
            Check::new(self.name(), operands).require(rows == wanted, || {
                format!("layer {i} has {rows} rows, but must have as many as layer 0, which has {wanted}")
            })?;
        }
        Ok(())
    }

    fn all_access(&self) -> Access {
        let layers = self.layers();
        let mut reads = Vec::new();
        for (i, (layer, _)) in layers.iter().enumerate() {
            // One that layers share is read once.
            let same = |(other, _): &Activated<'_>| {
                other.x.is_same_place(&layer.x) && other.x.dtype() == layer.x.dtype()
            };
            if !layers[..i].iter().any(same) {
                reads.push(&layer.x);
            }
        }
        reads.extend(layers.iter().map(|(layer, _)| &layer.weight));
        reads.extend(layers.iter().filter_map(|(layer, _)| layer.bias.as_ref()));
        let writes: Vec<_> = layers.iter().map(|(layer, _)| &layer.out).collect();
        Access::new(&reads, &writes)
    }

    fn cost_of_all(&self) -> Cost {
        let flops = self.layers().iter().fold(0, |flops: u64, (layer, activation)| {
            let active = if activation.is_some() { 8 * layer.out.elements() as u64 } else { 0 };
            flops.saturating_add(layer.cost().flops).saturating_add(active)
        });
        Cost::of(&self.all_access(), flops)
    }

    fn all_on_host(&self, host: &mut Host<'_>) {
        for (layer, activation) in self.layers() {
            reference::linear(layer, activation, host);
        }
    }

    fn all_on_cpu(&self, cpu: &CpuContext<'_>) {
        let layers = self.layers();
        let layers = layers.iter().map(|(layer, activation)| layer.activated(*activation));
        cpu::linears(&layers.collect::<Vec<_>>(), cpu);
    }
}

impl Several for Linears {
    fn layers(&self) -> Vec<Activated<'_>> {
        self.0.iter().map(|layer| (layer, None)).collect()
    }
}

impl Several for ActivatedLinears {
    fn layers(&self) -> Vec<Activated<'_>> {
        self.0.iter().map(|(layer, activation)| (layer, *activation)).collect()
    }
}

impl Operation for Linears {
    fn name(&self) -> &'static str {
        "linears"
    }

    fn check(&self) -> Result<()> {
        self.check_all()
    }

    fn access(&self) -> Access {
        self.all_access()
    }

    fn cost(&self) -> Cost {
        self.cost_of_all()
    }

    fn reference(&self, host: &mut Host<'_>) {
        self.all_on_host(host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        self.all_on_cpu(cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::linears(self.name(), &self.layers(), gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(&self.layers(), gpu)
    }
}

impl Operation for ActivatedLinears {
    fn name(&self) -> &'static str {
        "activated_linears"
    }

    fn check(&self) -> Result<()> {
        self.check_all()
    }

    fn access(&self) -> Access {
        self.all_access()
    }

    fn cost(&self) -> Cost {
        self.cost_of_all()
    }

    fn reference(&self, host: &mut Host<'_>) {
        self.all_on_host(host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        self.all_on_cpu(cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::linears(self.name(), &self.layers(), gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(&self.layers(), gpu)
    }
}
