//! Sorting rows, and the indices that sort them.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Each row (last dimension) of `x` in ascending or descending order: its elements, or the indices
/// that sort it.
///
/// Indices are stable: those of equal elements keep their order, also in descending order. NaN comes
/// last in both orders. 0 and -0 are equal; which of them comes first in sorted elements is
/// unspecified.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Sort, Sorted};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[3.0f32, 1.0, 2.0, 1.0], &[4])?;
/// let values = View::alloc(&device, DType::F32, &[4])?;
/// let indices = View::alloc(&device, DType::U32, &[4])?;
/// let mut batch = Batch::new();
/// batch.push(Sort { x: x.clone(), descending: false, out: Sorted::Elements(values.clone()) })?;
/// batch.push(Sort { x, descending: true, out: Sorted::Indices(indices.clone()) })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(values.to_vec::<f32>(&device)?, [1.0, 1.0, 2.0, 3.0]);
/// assert_eq!(indices.to_vec::<u32>(&device)?, [0, 2, 1, 3]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sort {
    /// The rows, of real numbers or booleans.
    pub x: View,
    /// Whether the largest come first.
    pub descending: bool,
    /// What is written, of the shape of `x`.
    pub out: Sorted,
}

/// What sorting gives.
#[derive(Clone, Debug)]
pub enum Sorted {
    /// The elements, of the dtype of `x`.
    Elements(View),
    /// Where they are in their rows, `U32`, `I32` or `I64`.
    Indices(View),
}

impl Sorted {
    fn view(&self) -> &View {
        match self {
            Sorted::Elements(view) | Sorted::Indices(view) => view,
        }
    }
}

impl Operation for Sort {
    fn name(&self) -> &'static str {
        match self.out {
            Sorted::Elements(_) => "sort",
            Sorted::Indices(_) => "argsort",
        }
    }

    fn check(&self) -> Result<()> {
        let (x, out) = (&self.x, self.out.view());
        let check = Check::new(self.name(), [("x", x), ("out", out)]);
        check.rank_at_least(x, 1)?;
        let ordered = !x.dtype().is_block() && !x.dtype().is_complex();
        check.dtype(x, ordered, "of real numbers or booleans")?;
        match self.out {
            Sorted::Elements(_) => check.same_dtype(out, x)?,
            Sorted::Indices(_) => check.any_index(out)?,
        }
        check.same_shape(out, x)?;
        let width = x.shape().width();
        check.require(i32::try_from(width).is_ok(), || {
            format!("rows of x have {width} elements, but must have fewer than 2^31")
        })
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[self.out.view()])
    }

    fn cost(&self) -> Cost {
        let steps = self.x.shape().width().max(2).ilog2();
        Cost::of(&self.access(), self.x.elements() as u64 * u64::from(steps))
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::sort(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::sort(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::sort(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
