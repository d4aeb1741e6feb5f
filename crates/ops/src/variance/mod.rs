//! Mean and variance along some dimensions.

mod cases;
mod cpu;
mod gpu;
mod reference;

pub(crate) use cases::cases;

use crate::{bind, check::Check};
use bessemer_core::{
    Access, Cost, DType, DeviceKind, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use smallvec::SmallVec;

/// The mean of the elements along `axes`, `out[0]`, and their variance, `out[1]`: the sum of squared
/// distances from the mean, divided by their number less `correction`, or NaN or infinite if that is
/// not above 0.
///
/// Both are computed in double precision. On the CPU elements are read once for `F32`: their sum and the
/// sum of squares are those of distances from the first one.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::Variance;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0, 3.0, 6.0], &[4])?;
/// let out = View::alloc(&device, DType::F32, &[2, 1])?;
/// let mut batch = Batch::new();
/// batch.push(Variance { x, axes: vec![0], correction: 0.0, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [3.0, 3.5]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variance {
    /// The elements, `F32` or `F64`.
    pub x: View,
    /// The dimensions.
    pub axes: Vec<usize>,
    /// What their number is lessened by.
    pub correction: f64,
    /// The output, of the dtype of `x`: 2, and then the shape of `x` with dimensions of size 1 in place of
    /// `axes`.
    pub out: View,
}

impl Operation for Variance {
    fn name(&self) -> &'static str {
        "variance"
    }

    fn check(&self) -> Result<()> {
        let Variance { x, axes, correction, out } = self;
        let check = Check::new(self.name(), [("x", x), ("out", out)]);
        check.dtype(x, matches!(x.dtype(), DType::F32 | DType::F64), "f32 or f64")?;
        check.same_dtype(out, x)?;
        let mut wanted: SmallVec<[usize; 8]> = SmallVec::from_slice(&[2]);
        wanted.extend_from_slice(x.shape());
        for &axis in axes {
            check.axis("x", x, axis)?;
            wanted[axis + 1] = 1;
        }
        check.shape(out, &wanted, "2, and the shape of x with 1 for each axis")?;
        check.finite("correction", *correction as f32)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 4 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::variance(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::variance(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        if self.x.dtype() == DType::F64 {
            return Err(bind::no_doubles(self.name(), DeviceKind::Metal));
        }
        let [mean, squares] = gpu::steps(self)?;
        Ok(mean.metal(gpu)?.then(squares.metal(gpu)?))
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        if self.x.dtype() == DType::F64 {
            return Err(bind::no_doubles(self.name(), DeviceKind::WebGpu));
        }
        let [mean, squares] = gpu::steps(self)?;
        Ok(mean.webgpu(gpu)?.then(squares.webgpu(gpu)?))
    }
}

impl Variance {
    /// How many elements become one.
    fn count(&self) -> usize {
        let mut axes = self.axes.clone();
        axes.sort_unstable();
        axes.dedup();
        axes.iter().map(|&axis| self.x.shape()[axis]).product()
    }

    /// What the sum of squares is divided by.
    fn divisor(&self) -> f64 {
        (self.count() as f64 - self.correction).max(0.0)
    }

    /// The means, or the variances.
    fn part(&self, number: usize) -> Result<View> {
        self.out.narrow(0, number..number + 1)?.squeeze(0)
    }
}
