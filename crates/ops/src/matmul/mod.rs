//! Products of dense matrices and vectors.

mod cases;
pub(crate) mod cpu;
mod dot;
mod metal;
mod reference;
mod sums;
mod webgpu;

pub(crate) use cases::cases;
pub use dot::Dot;

use crate::{bind, check::Check};
use bessemer_core::{
    Access, Cost, DType, DeviceKind, Host, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = a · b` for each matrix of a batch.
///
/// `a` is `[..., m, k]`, `b` is `[..., k, n]` and `out` `[..., m, n]`, of any strides. The leading
/// dimensions of `a` and `b` broadcast to those of `out` by NumPy's rule. Their dtypes are floats of at
/// most 32 bits, whose products are summed in `f32`; or all one of `f64`, `complex64` and the integers,
/// which wrap. Sums of nothing (`k = 0`) are 0.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Matmul;
///
/// let device = bessemer_cpu::Reference::new();
/// let a = View::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let out = View::alloc(&device, a.dtype(), &[2, 2])?;
/// let mut batch = Batch::new();
/// batch.push(Matmul { a: a.clone(), b: a.transpose()?, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [5.0, 11.0, 11.0, 25.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matmul {
    /// The left matrices.
    pub a: View,
    /// The right matrices.
    pub b: View,
    /// The products.
    pub out: View,
}

impl Matmul {
    /// Rows, inner length and columns of each product.
    fn sizes(&self) -> (usize, usize, usize) {
        let (a, b) = (self.a.shape(), self.b.shape());
        (a[a.rank() - 2], a[a.rank() - 1], b[b.rank() - 1])
    }
}

/// The leading dimensions of a batch of matrices.
fn leading(view: &View) -> Result<Shape> {
    Shape::new(&view.shape()[..view.shape().rank() - 2])
}

impl Operation for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn check(&self) -> Result<()> {
        let Matmul { a, b, out } = self;
        let check = Check::new(self.name(), [("a", a), ("b", b), ("out", out)]);
        match out.dtype() {
            dtype if dtype == DType::F64 || dtype.is_complex() || dtype.is_integer() => {
                check.same_dtype(a, out)?;
                check.same_dtype(b, out)?;
            }
            _ => check.all_floats()?,
        }
        for view in [a, b, out] {
            check.rank_at_least(view, 2)?;
        }
        let (m, k, n) = self.sizes();
        let rows = b.shape()[b.shape().rank() - 2];
        check.require(rows == k, || {
            format!("a has {k} columns, but b has {rows} rows; they must be as many")
        })?;
        let (of_a, of_b, of_out) = (leading(a)?, leading(b)?, leading(out)?);
        check.require(of_a.broadcast(&of_b).ok() == Some(of_out), || {
            format!(
                "the leading dimensions {of_a} of a and {of_b} of b do not broadcast to {of_out}"
            )
        })?;
        let given = &out.shape()[out.shape().rank() - 2..];
        check.require(*given == [m, n], || {
            format!(
                "out has matrices of {given:?}, but must have {:?}: rows of a, columns of b",
                [m, n]
            )
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.a, &self.b], &[&self.out])
    }

    fn cost(&self) -> Cost {
        let (_, k, _) = self.sizes();
        let flops = (self.out.elements() as u64).saturating_mul(2 * k as u64);
        Cost::of(&self.access(), flops)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::matmul(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::matmul(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        match self.out.dtype() {
            dtype if dtype.fits_f32() => metal::matmul(self, gpu),
            DType::F64 => Err(bind::no_doubles(self.name(), DeviceKind::Metal)),
            _ => sums::launches(self, |sum| sum.metal(gpu)),
        }
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        match self.out.dtype() {
            dtype if dtype.fits_f32() => webgpu::launches(self, gpu),
            DType::F64 => Err(bind::no_doubles(self.name(), DeviceKind::WebGpu)),
            _ => sums::launches(self, |sum| sum.webgpu(gpu)),
        }
    }
}
