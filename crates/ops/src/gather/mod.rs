//! Gather: parts of a table, picked by index.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, Host, MAX_RANK, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use smallvec::SmallVec;

/// `out[.., i.., ..] = table[.., indices[i..], ..]` along dimension `axis`: along dimension 0, the
/// rows of a table.
///
/// The shape of `out` is that of `table` with dimension `axis` replaced by all those of `indices`.
/// An index below 0 counts from the end. One that is outside of the table gives NaN in floats and 0
/// in integers. The table is dense, or quantised where `axis` is not the last dimension; a float or
/// quantised table can be gathered to any float dtype.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Gather;
///
/// let device = bessemer_cpu::Reference::new();
/// let table = View::from_slice(&device, &[1, 2, 3, 4, 5, 6], &[3, 2])?;
/// let indices = View::from_slice(&device, &[-1, 0], &[2])?;
/// let out = View::alloc(&device, table.dtype(), &[2, 2])?;
/// let mut batch = Batch::new();
/// batch.push(Gather { table, indices, axis: 0, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<i32>(&device)?, [5, 6, 1, 2]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gather {
    /// Where parts are picked from.
    pub table: View,
    /// Which ones, `I32`, `U32` or `I64`.
    pub indices: View,
    /// The dimension of the table that the indices count along.
    pub axis: usize,
    /// The result.
    pub out: View,
}

impl Operation for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn check(&self) -> Result<()> {
        let Gather { table, indices, axis, out } = self;
        let operands = [("table", table), ("indices", indices), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.any_index(indices)?;
        check.axis("a table", table, *axis)?;
        let (from, to) = (table.dtype(), out.dtype());
        check.require(!from.is_block() || *axis + 1 < table.shape().rank(), || {
            format!(
                "axis {axis} is the last one of a quantised table, whose rows are only read whole"
            )
        })?;
        let casts = (from.fits_f32() || from.is_block()) && to.fits_f32();
        check.require((from == to || casts) && !to.is_block(), || {
            format!("out is {to}, which cannot hold elements of a table of {from}")
        })?;
        let before = table.shape()[..*axis].iter();
        let wanted = before.chain(&**indices.shape()).chain(&table.shape()[axis + 1..]);
        let wanted: SmallVec<[usize; 2 * MAX_RANK]> = wanted.copied().collect();
        check.shape(
            out,
            &wanted,
            "the shape of the table, with that of indices in place of the axis",
        )
    }

    fn access(&self) -> Access {
        Access::new(&[&self.table, &self.indices], &[&self.out])
    }

    fn cost(&self) -> Cost {
        // Of the table, only what is picked is read.
        let picked = self.out.elements() / self.table.dtype().block_len();
        let picked = (picked * self.table.dtype().block_bytes()).min(self.table.stored_bytes());
        let rest = Access::new(&[&self.indices], &[&self.out]);
        let mut cost = Cost::of(&rest, 0);
        cost.bytes += picked as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::gather(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::gather(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::gather(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
