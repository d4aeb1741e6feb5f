//! Softmax and log-softmax over rows.

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

/// `out = exp(z - max(z)) / sum(exp(z - max(z)))` with `z = x * scale + mask`, over the last
/// dimension; its logarithm if `log`.
///
/// `x` and `out` are of one shape and any float dtypes, and may be the same view; `mask` is any float
/// and broadcasts to that shape. A row that is -inf throughout gives zeros (-inf if `log`), so that
/// what attends to nothing adds nothing. A row with a NaN or with +inf is NaN.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Softmax;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 1.0, 1.0, 1.0], &[2, 2])?;
/// // The first row may not see the second column.
/// let mask = Some(View::from_slice(&device, &[0.0, f32::NEG_INFINITY, 0.0, 0.0], &[2, 2])?);
/// let mut batch = Batch::new();
/// batch.push(Softmax { x: x.clone(), scale: 1.0, mask, log: false, out: x.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(x.to_vec::<f32>(&device)?, [1.0, 0.0, 0.5, 0.5]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Softmax {
    /// The scores.
    pub x: View,
    /// What they are multiplied by.
    pub scale: f32,
    /// What is then added to them, if anything.
    pub mask: Option<View>,
    /// Whether the logarithm of the result is wanted.
    pub log: bool,
    /// The result.
    pub out: View,
}

impl Softmax {
    /// The mask in the shape of the scores.
    fn full_mask(&self) -> Option<Result<View>> {
        self.mask.as_ref().map(|mask| mask.broadcast_to(*self.x.shape()))
    }
}

impl Operation for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn check(&self) -> Result<()> {
        let Softmax { x, scale, mask, out, .. } = self;
        let check = Check::new(self.name(), [("x", x), ("out", out)]).and("mask", mask.as_ref());
        check.all_floats()?;
        check.rank_at_least(x, 1)?;
        check.same_shape(out, x)?;
        if let (Some(mask), Some(Err(_))) = (mask, self.full_mask()) {
            let (mask, x) = (mask.shape(), x.shape());
            let why = format!("mask has shape {mask}, which does not broadcast to that of x, {x}");
            return Err(check.error(why));
        }
        check.finite("scale", *scale)
    }

    fn access(&self) -> Access {
        let mut access = Access::new(&[&self.x], &[&self.out]).in_place();
        access.reads.extend(self.mask.clone());
        access
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 6 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::softmax(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::softmax(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::softmax(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
