//! Quantising to block formats and back.

mod cases;
mod cpu;
mod metal;
mod reference;
pub(crate) mod webgpu;

pub(crate) use cases::cases;

use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
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

/// The rule of both: `blocks` and `floats` are `x` and `out` or the other way round.
fn check(op: &dyn Operation, x: &View, out: &View, blocks: &str) -> Result<()> {
    let refuse = |rule: String| Err(Error::rule(op.name(), rule, &[("x", x), ("out", out)]));
    let (quantised, floats) = if blocks == "x" { (x, out) } else { (out, x) };
    if !quantised.dtype().is_block() || !floats.dtype().is_float() {
        return refuse(format!("{blocks} is of a block format and the other is a float"));
    }
    if x.shape() != out.shape() {
        return refuse("x and out have the same shape".into());
    }
    Ok(())
}

impl Operation for Quantize {
    fn name(&self) -> &'static str {
        "quantize"
    }

    fn check(&self) -> Result<()> {
        check(self, &self.x, &self.out, "out")
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
        check(self, &self.x, &self.out, "x")
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
