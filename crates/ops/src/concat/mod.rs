//! Concat: arrays one after another along a dimension.

mod cases;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::{check::Check, copy::cpu::copy};
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out` holds all `inputs` one after another along dimension `axis`.
///
/// All are of one dtype, and of one shape but for that dimension. Block formats are joined in whole
/// blocks.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Concat;
///
/// let device = bessemer_cpu::Reference::new();
/// let a = View::from_slice(&device, &[1, 2], &[2, 1])?;
/// let b = View::from_slice(&device, &[3, 4, 5, 6], &[2, 2])?;
/// let out = View::alloc(&device, a.dtype(), &[2, 3])?;
/// let mut batch = Batch::new();
/// batch.push(Concat { inputs: vec![a, b], axis: 1, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<i32>(&device)?, [1, 3, 4, 2, 5, 6]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
        // Many inputs would make an error nobody reads.
        let named = inputs.iter().take(8).map(|input| ("input", input));
        let check = Check::new(self.name(), named.chain([("out", out)]));
        check.axis("an output", out, *axis)?;
        let rank = out.shape().rank();
        let mut total = 0usize;
        for (i, input) in inputs.iter().enumerate() {
            check.require(input.dtype() == out.dtype(), || {
                format!("input {i} is {}, but the output is {}", input.dtype(), out.dtype())
            })?;
            let fits = input.shape().rank() == rank
                && (0..rank).all(|a| a == *axis || input.shape()[a] == out.shape()[a]);
            check.require(fits, || {
                let (given, wanted) = (input.shape(), out.shape());
                format!(
                    "input {i} has shape {given}, but must match {wanted} except along axis {axis}"
                )
            })?;
            total = total.saturating_add(input.shape()[*axis]);
        }
        let length = out.shape()[*axis];
        check.require(total == length, || {
            format!(
                "the inputs have {total} elements along axis {axis}, but the output has {length}"
            )
        })
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
