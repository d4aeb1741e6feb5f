//! Compaction: the rows that a mask selects, without the others.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Row `i` of `x` for each element `i` of the mask that is true, in order; without `x`, `i` itself.
///
/// `out` has a row for each of them: whoever makes it must know how many they are. Of more rows the
/// rest is unspecified; for fewer the last ones are left out.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::Compact;
///
/// let device = bessemer_cpu::Reference::new();
/// let mask = View::alloc(&device, DType::Bool, &[4])?;
/// device.write(&mask.slice()?, &[1, 0, 1, 1])?;
/// let x = View::from_slice(&device, &[1.5f32, 2.5, 3.5, 4.5], &[4, 1])?;
/// let out = View::alloc(&device, DType::F32, &[3, 1])?;
/// let mut batch = Batch::new();
/// batch.push(Compact { mask, x: Some(x), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [1.5, 3.5, 4.5]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compact {
    /// Which rows, `Bool` of one dimension.
    pub mask: View,
    /// The rows, of two dimensions.
    pub x: Option<View>,
    /// The rows that are selected, of the dtype of `x`; of one dimension and `U32`, `I32` or `I64`
    /// without it.
    pub out: View,
}

impl Operation for Compact {
    fn name(&self) -> &'static str {
        "compact"
    }

    fn check(&self) -> Result<()> {
        let Compact { mask, x, out } = self;
        let check = Check::new(self.name(), [("mask", mask), ("out", out)]).and("x", x.as_ref());
        check.is(mask, DType::Bool)?;
        check.rank(mask, 1, "one element per row")?;
        check.require(i32::try_from(mask.elements()).is_ok(), || {
            format!("mask has {} elements, but must have fewer than 2^31", mask.elements())
        })?;
        let Some(x) = x else {
            check.any_index(out)?;
            return check.rank(out, 1, "one index per row that is selected");
        };
        check.dtype(x, !x.dtype().is_block(), "a dtype that is not quantised")?;
        check.same_dtype(out, x)?;
        check.rank(x, 2, "rows and their elements")?;
        check.rank(out, 2, "rows and their elements")?;
        check.shape(x, &[mask.elements(), x.shape()[1]], "a row for each element of the mask")?;
        check.shape(out, &[out.shape()[0], x.shape()[1]], "rows as long as those of x")
    }

    fn access(&self) -> Access {
        match &self.x {
            Some(x) => Access::new(&[&self.mask, x], &[&self.out]),
            None => Access::new(&[&self.mask], &[&self.out]),
        }
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::compact(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::compact(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::compact(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
