//! Softmax: rows of scores made into shares of 1, or into their logarithms.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = exp(z - max(z)) / sum(exp(z - max(z)))` with `z = x * scale + mask`, over the last
/// dimension; its logarithm if `log`.
///
/// `x` and `out` are of one shape and any float dtypes, and may be the same view; `mask` is any float
/// and broadcasts to that shape. A row that is -inf throughout gives zeros (-inf if `log`), so that
/// what attends to nothing adds nothing. A row with a NaN or with +inf is NaN.
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
        let refuse = |rule: &str| {
            let mut operands = vec![("x", x), ("out", out)];
            operands.extend(mask.iter().map(|mask| ("mask", mask)));
            Err(Error::rule(self.name(), rule, &operands))
        };
        if self.access().views().any(|view| !view.dtype().is_float()) {
            return refuse("all operands are floats");
        }
        if x.shape() != out.shape() || x.shape().rank() == 0 {
            return refuse("x and out have the same shape, of at least one dimension");
        }
        if self.full_mask().is_some_and(|mask| mask.is_err()) {
            return refuse("mask broadcasts to the shape of x");
        }
        if !scale.is_finite() {
            return refuse("scale is a finite number");
        }
        Ok(())
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
