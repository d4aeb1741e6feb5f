//! Linear layers of a mixture of experts: each row of activations goes through the experts chosen for it.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::{Check, dims};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out[r, u] = x[r] · weight[ids[r, u]]ᵀ`: mixtures of experts.
///
/// `x` is `[rows, k]`, or `[rows, used, k]` where each expert has an input of its own (as the last
/// layer of an expert has); `weight` is `[experts, n, k]`, a float or any block format; `ids` is
/// `[rows, used]`; `out` is `[rows, used, n]`. A row may name an expert twice. An id that no expert
/// has gives NaN.
///
/// With a weight in a block format, devices may round activations to 8 bits as
/// [`Linear`](crate::Linear) says.
///
/// The rest of a mixture is made of other ops, so that nothing goes back to the host in between:
///
/// 1. `logits = Linear(x, router)`.
/// 2. Where the weights of the chosen are to sum to one: `TopK(logits)` gives `values` and `ids`,
///    and `Softmax(values)` the weights, which is the same as a softmax over all experts of which
///    the largest are taken and divided by their sum. Where they are not: `TopK(Softmax(logits))`.
/// 3. `gate` and `up` are each an `ExpertLinear` of `x` (`[rows, k]`), joined by
///    [`Gated`](crate::Gated); `down` is an `ExpertLinear` of that (`[rows, used, m]`).
/// 4. The sum over the experts used, times their weights, is [`Matmul`](crate::Matmul) of
///    `[rows, 1, used]` and `[rows, used, n]`.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::ExpertLinear;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
/// // Three experts with one output each; the row goes through the last and the first.
/// let weight = View::from_slice(&device, &[1.0f32, 0.0, 0.0, 1.0, 1.0, 1.0], &[3, 1, 2])?;
/// let ids = View::from_slice(&device, &[2u32, 0], &[1, 2])?;
/// let out = View::alloc(&device, x.dtype(), &[1, 2, 1])?;
/// let mut batch = Batch::new();
/// batch.push(ExpertLinear { x, weight, ids, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [3.0, 1.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExpertLinear {
    /// The activations, any float.
    pub x: View,
    /// For each expert, one row per output.
    pub weight: View,
    /// Which experts, `U32`.
    pub ids: View,
    /// The result, any float.
    pub out: View,
}

impl ExpertLinear {
    /// `x` as `[rows, used, k]`.
    fn inputs(&self) -> Result<View> {
        if self.x.shape().rank() == 3 {
            return Ok(self.x.clone());
        }
        let (rows, used) = (self.ids.shape()[0], self.ids.shape()[1]);
        let shape = Shape::new(&[rows, used, self.x.shape().width()])?;
        self.x.unsqueeze(1)?.broadcast_to(shape)
    }
}

impl Operation for ExpertLinear {
    fn name(&self) -> &'static str {
        "expert_linear"
    }

    fn check(&self) -> Result<()> {
        let ExpertLinear { x, weight, ids, out } = self;
        let operands = [("x", x), ("weight", weight), ("ids", ids), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.float(x)?;
        check.float(out)?;
        check.float_or_quantised(weight)?;
        check.is(ids, DType::U32)?;
        check.rank(ids, 2, "[rows, used]")?;
        check.rank(weight, 3, "[experts, n, k]")?;
        let ([rows, used], [_, n, k]) = (dims(ids.shape()), dims(weight.shape()));
        if x.shape().rank() == 3 {
            check.shape(x, &[rows, used, k], "[rows, used, k] of ids and weight")?;
        } else {
            check.shape(x, &[rows, k], "[rows, k] of ids and weight")?;
        }
        check.shape(out, &[rows, used, n], "[rows, used, n] of ids and weight")?;
        check.require(u32::try_from(ids.elements()).is_ok(), || {
            format!("there are {} ids, but at most 2³² - 1 can be told apart", ids.elements())
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.weight, &self.ids], &[&self.out])
    }

    fn cost(&self) -> Cost {
        let (&[experts, n, k], picked) = (&**self.weight.shape(), self.ids.elements()) else {
            return Cost::default();
        };
        let flops = [picked, k, n].iter().fold(2u64, |f, &size| f.saturating_mul(size as u64));
        let mut cost = Cost::of(&Access::new(&[&self.x, &self.ids], &[&self.out]), flops);
        // No expert is read twice, and no more of them than are asked for.
        let of_one = self.weight.stored_bytes() as u64 / experts.max(1) as u64;
        cost.bytes += of_one * picked.min(experts) as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::expert_linear(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::expert_linear(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::expert_linear(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
