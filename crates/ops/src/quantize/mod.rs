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
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Dequantize, Quantize};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[0.25f32; 64], &[2, 32])?;
/// let blocks = View::alloc(&device, DType::Q8_0, &[2, 32])?;
/// let back = View::alloc(&device, DType::F32, &[2, 32])?;
/// let mut batch = Batch::new();
/// batch.push(Quantize { x, out: blocks.clone() })?;
/// batch.push(Dequantize { x: blocks.clone(), out: back.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(blocks.stored_bytes(), 2 * 34);
/// assert!(back.to_vec::<f32>(&device)?.iter().all(|x| (x - 0.25).abs() < 1e-3));
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quantize {
    /// The numbers.
    pub x: View,
    /// The result, of the same shape.
    pub out: View,
}

/// `out = x`, from blocks of any format to any float dtype, rounded as [`Copy`](crate::Copy) does.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, HostMemory, Shape, View};
/// use bessemer_ops::Dequantize;
/// use std::sync::Arc;
///
/// let device = bessemer_cpu::Reference::new();
/// // A block of a file: the scale 0.5 as a half, then 32 levels.
/// let mut block = vec![3u8; 34];
/// block[..2].copy_from_slice(&[0x00, 0x38]);
/// let buffer = device.adopt(HostMemory::new(Arc::new(block)))?;
/// let x = View::new(&buffer, DType::Q8_0, Shape::new(&[32])?)?;
/// let out = View::alloc(&device, DType::F32, &[32])?;
/// let mut batch = Batch::new();
/// batch.push(Dequantize { x, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.5; 32]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
