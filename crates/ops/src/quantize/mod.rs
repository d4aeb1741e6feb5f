//! Quantising to block formats and back.

mod cases;
mod cpu;
mod metal;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = x` as blocks of few bits, of any block format.
///
/// `x` is any float; the rows (last dimension) of both are whole blocks. Each block is the nearest
/// to its values that the search of [`encode`](bessemer_formats::encode) finds, the
/// same on every device. Values too large for the format become the largest it has; a block with a
/// NaN or an infinity is NaN throughout.
#[derive(Clone, Debug)]
pub struct Quantize {
    /// The numbers.
    pub x: View,
    /// The result, of the same shape.
    pub out: View,
}

/// `out = x`, from blocks of any format to any float dtype, rounded as [`Copy`](crate::Copy) does.
#[derive(Clone, Debug)]
pub struct Dequantize {
    /// The blocks.
    pub x: View,
    /// The result, of the same shape.
    pub out: View,
}

/// The rule of both: one of `x` and `out` is `quantised`, the other has floats.
fn check(op: &dyn Operation, x: &View, out: &View, quantised: &View, floats: &View) -> Result<()> {
    let check = Check::new(op.name(), [("x", x), ("out", out)]);
    check.quantised(quantised)?;
    check.float(floats)?;
    check.same_shape(out, x)
}

impl Operation for Quantize {
    fn name(&self) -> &'static str {
        "quantize"
    }

    fn check(&self) -> Result<()> {
        check(self, &self.x, &self.out, &self.out, &self.x)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::convert(&self.x, &self.out, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::convert(&self.x, &self.out, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::quantize(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::quantize(self, gpu)
    }
}

impl Operation for Dequantize {
    fn name(&self) -> &'static str {
        "dequantize"
    }

    fn check(&self) -> Result<()> {
        check(self, &self.x, &self.out, &self.x, &self.out)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::convert(&self.x, &self.out, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::convert(&self.x, &self.out, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::dequantize(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::dequantize(self, gpu)
    }
}
