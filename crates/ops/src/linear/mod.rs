//! Linear layers: rows of activations times the transpose of a weight matrix, dense or quantised.

mod cases;
mod cpu;
pub(crate) mod metal;
mod reference;
mod several;
pub(crate) mod webgpu;

pub(crate) use cases::{cases, tolerance};
pub(crate) use cpu::linear;
pub use several::{ActivatedLinears, Linears};

use crate::{
    Activation,
    check::{Check, dims},
};
use bessemer_core::{
    Access, Cost, Host, MAX_RANK, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use smallvec::SmallVec;

/// `out = x · weightᵀ + bias`, over the last dimension of `x`.
///
/// `x` is `[..., k]` and `out` `[..., n]`, of any float dtypes; `weight` is `[n, k]`, a float or any
/// block format; `bias`, if there is one, is `[n]`, a float.
///
/// With a weight in a block format, devices may round each group of 32 activations to 8 bits
/// (their largest magnitude becomes 127) and multiply integers. With blocks of 256 it may be each
/// group of 128. With a dense weight of two bytes an element, and more than 32 rows, it may be 14
/// bits for each group of 32, which is finer than halves are. A CPU device that is opened to be precise
/// rounds to 16 bits instead of 8, and not at all where weights are dense.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Linear;
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
/// let weight = View::from_slice(&device, &[1.0f32, 1.0, 3.0, 0.0, 0.0, 4.0], &[3, 2])?;
/// let bias = Some(View::from_slice(&device, &[0.0f32, 0.0, 100.0], &[3])?);
/// let out = View::alloc(&device, x.dtype(), &[1, 3])?;
/// let mut batch = Batch::new();
/// batch.push(Linear { x, weight, bias, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [3.0, 3.0, 108.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linear {
    /// The activations.
    pub x: View,
    /// One row per output.
    pub weight: View,
    /// What is added to each row of the result.
    pub bias: Option<View>,
    /// The result.
    pub out: View,
}

impl Linear {
    /// Up to this many rows, each row of the result is bit for bit what it would be alone, on the
    /// same device: all are summed in the same order.
    pub const ALIKE: usize = 4;

    /// Rows of `x`, their length, and the outputs per row.
    fn sizes(&self) -> (usize, usize, usize) {
        self.layer().sizes()
    }

    fn layer(&self) -> Layer<'_> {
        self.activated(None)
    }

    fn activated(&self, activation: Option<Activation>) -> Layer<'_> {
        let Linear { x, weight, bias, out } = self;
        Layer { x, weight, bias: bias.as_ref(), activation, out, rows: None }
    }
}

/// What the CPU code works on: a whole layer, or some rows of `x` and `out` alone.
pub(crate) struct Layer<'a> {
    pub(crate) x: &'a View,
    pub(crate) weight: &'a View,
    pub(crate) bias: Option<&'a View>,
    pub(crate) activation: Option<Activation>,
    pub(crate) out: &'a View,
    /// Which rows of `x` and `out` these are; all of them if none are named.
    pub(crate) rows: Option<&'a [u32]>,
}

impl Layer<'_> {
    /// Rows, their length, and the outputs per row.
    fn sizes(&self) -> (usize, usize, usize) {
        let rows = self.rows.map_or_else(|| self.x.shape().rows(), <[u32]>::len);
        (rows, self.x.shape().width(), self.weight.shape()[0])
    }

    /// Where row `i` of these is among all of them.
    fn row(&self, i: usize) -> usize {
        self.rows.map_or(i, |rows| rows[i] as usize)
    }
}

impl Operation for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn check(&self) -> Result<()> {
        let Linear { x, weight, bias, out } = self;
        let check = Check::new(self.name(), [("x", x), ("weight", weight), ("out", out)])
            .and("bias", bias.as_ref());
        check.float(x)?;
        check.float(out)?;
        check.float_or_quantised(weight)?;
        check.rank_at_least(x, 1)?;
        check.rank(weight, 2, "[outputs, inputs]")?;
        let ([outputs, inputs], width) = (dims(weight.shape()), x.shape().width());
        check.require(inputs == width, || {
            format!("rows of x have {width} elements, but rows of weight have {inputs}")
        })?;
        let mut wanted: SmallVec<[usize; MAX_RANK]> = SmallVec::from_slice(x.shape());
        wanted[x.shape().rank() - 1] = outputs;
        check.shape(out, &wanted, "rows of x, with one element per row of weight")?;
        if let Some(bias) = bias {
            check.float(bias)?;
            check.shape(bias, &[outputs], "one element per row of weight")?;
        }
        Ok(())
    }

    fn access(&self) -> Access {
        let mut reads = vec![&self.x, &self.weight];
        reads.extend(&self.bias);
        Access::new(&reads, &[&self.out])
    }

    fn cost(&self) -> Cost {
        let (rows, k, n) = self.sizes();
        let flops =
            [rows, k, n].iter().fold(2u64, |flops, &size| flops.saturating_mul(size as u64));
        Cost::of(&self.access(), flops)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::linear(self, None, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::linear(&self.layer(), cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::linears(self.name(), &[(self, None)], gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(&[(self, None)], gpu)
    }
}
