//! Products of dense matrices and vectors.

mod cases;
pub(crate) mod cpu;
mod dot;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;
pub use dot::Dot;

use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, Shape, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out = a · b` for each matrix of a batch.
///
/// `a` is `[..., m, k]`, `b` is `[..., k, n]` and `out` `[..., m, n]`, of any float dtypes and any
/// strides. The leading dimensions of `a` and `b` broadcast to those of `out` by NumPy's rule.
/// Products are summed in `f32`; sums of nothing (`k = 0`) are 0.
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
        let views = [("a", a), ("b", b), ("out", out)];
        let refuse = |rule: &str| Err(Error::rule(self.name(), rule, &views));
        if views.iter().any(|(_, view)| !view.dtype().is_float()) {
            return refuse("all operands are floats");
        }
        if views.iter().any(|(_, view)| view.shape().rank() < 2) {
            return refuse("all operands have at least two dimensions");
        }
        let (m, k, n) = self.sizes();
        if b.shape()[b.shape().rank() - 2] != k {
            return refuse("a has as many columns as b has rows");
        }
        let batch = leading(a)?.broadcast(&leading(b)?);
        if batch.ok() != Some(leading(out)?) {
            return refuse("the leading dimensions of a and b broadcast to those of out");
        }
        if out.shape()[out.shape().rank() - 2..] != [m, n] {
            return refuse("out has the rows of a and the columns of b");
        }
        Ok(())
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
        metal::matmul(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
