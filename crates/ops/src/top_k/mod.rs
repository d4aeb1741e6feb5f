//! Top-k: the largest elements of each row and where they are.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use bessemer_core::{
    Access, Cost, DType, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// The `k` largest elements of each row (last dimension) of `x`, largest first, and their indices.
///
/// `k` is the last dimension of `values` and `indices`; with 1 it is the argmax. Of equal elements
/// the one of the lowest index comes first. NaN counts as larger than all numbers, as in NumPy's
/// argmax.
#[derive(Clone, Debug)]
pub struct TopK {
    /// The rows, any float.
    pub x: View,
    /// The largest elements, any float.
    pub values: View,
    /// Their places in the rows, `U32`.
    pub indices: View,
}

impl Operation for TopK {
    fn name(&self) -> &'static str {
        "top_k"
    }

    fn check(&self) -> Result<()> {
        let TopK { x, values, indices } = self;
        let refuse = |rule: &str| {
            let operands = [("x", x), ("values", values), ("indices", indices)];
            Err(Error::rule(self.name(), rule, &operands))
        };
        if !(x.dtype().is_float() && values.dtype().is_float()) {
            return refuse("x and values are floats");
        }
        if indices.dtype() != DType::U32 {
            return refuse("indices are u32");
        }
        let rank = x.shape().rank();
        let fits = rank > 0
            && values.shape() == indices.shape()
            && values.shape().rank() == rank
            && values.shape()[..rank - 1] == x.shape()[..rank - 1];
        if !fits {
            return refuse("values and indices have the shape of x but for the last dimension");
        }
        if values.shape().width() > x.shape().width() {
            return refuse("the rows of x have at least as many elements as are asked for");
        }
        if u32::try_from(x.shape().width()).is_err() {
            return refuse("the rows of x have fewer than 2³² elements");
        }
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.values, &self.indices])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::top_k(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::top_k(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::top_k(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
