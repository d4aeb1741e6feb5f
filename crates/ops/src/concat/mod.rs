//! Concat: arrays one after another along a dimension.

mod cases;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::copy::cpu::copy;
use bessemer_core::{
    Access, Cost, Error, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out` holds all `inputs` one after another along dimension `axis`.
///
/// All are of one dtype, and of one shape but for that dimension. Block formats are joined in whole
/// blocks.
#[derive(Clone, Debug)]
pub struct Concat {
    /// What is joined, in order; any number of arrays.
    pub inputs: Vec<View>,
    /// The dimension along which they are joined.
    pub axis: usize,
    /// The result.
    pub out: View,
}

impl Concat {
    /// Each input with its part of the output.
    fn parts(&self) -> impl Iterator<Item = (&View, View)> {
        self.inputs.iter().scan(0, |start, input| {
            let end = *start + input.shape()[self.axis];
            let part = self.out.narrow(self.axis, *start..end);
            *start = end;
            Some((input, part.expect("`check` has added them up")))
        })
    }
}

impl Operation for Concat {
    fn name(&self) -> &'static str {
        "concat"
    }

    fn check(&self) -> Result<()> {
        let Concat { inputs, axis, out } = self;
        let refuse = |rule: String| {
            // Many inputs would make an error nobody reads.
            let named = inputs.iter().take(8).map(|input| ("input", input));
            let named: Vec<_> = named.chain([("out", out)]).collect();
            Err(Error::rule(self.name(), rule, &named))
        };
        let rank = out.shape().rank();
        if *axis >= rank {
            return refuse(format!("there is a dimension {axis}"));
        }
        let mut total = 0usize;
        for (i, input) in inputs.iter().enumerate() {
            if input.dtype() != out.dtype() {
                return refuse(format!("input {i} has the dtype of out"));
            }
            let fits = input.shape().rank() == rank
                && (0..rank).all(|a| a == *axis || input.shape()[a] == out.shape()[a]);
            if !fits {
                return refuse(format!("input {i} has the shape of out but for dimension {axis}"));
            }
            total = total.saturating_add(input.shape()[*axis]);
        }
        if total != out.shape()[*axis] {
            return refuse(format!(
                "dimension {axis} of out is as long as those of the inputs together, {total}"
            ));
        }
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&self.inputs.iter().collect::<Vec<_>>(), &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::concat(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        for (input, part) in self.parts() {
            copy(cpu, input, &part);
        }
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        let mut all = Launches::default();
        for (input, part) in self.parts() {
            all.launches.extend(crate::copy::metal::copy(input, &part, gpu)?.launches);
        }
        Ok(all)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
