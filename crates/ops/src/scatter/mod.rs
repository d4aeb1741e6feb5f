//! Scatter: parts of a table, replaced by index.

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

/// `table[.., indices[i], ..] = x[.., i, ..]` along dimension `axis`; the rest of the table stays.
///
/// This is how keys and values enter their cache. The shape of `x` is that of the table with
/// dimension `axis` as long as `indices`. An index below 0 counts from the end; one outside of the
/// table changes nothing; of equal ones the last wins. Floats can be scattered to any float dtype
/// and, where `axis` is not the last dimension, to a block format.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Scatter;
///
/// let device = bessemer_cpu::Reference::new();
/// let table = View::from_slice(&device, &[0; 6], &[3, 2])?;
/// let x = View::from_slice(&device, &[1, 2], &[1, 2])?;
/// let indices = View::from_slice(&device, &[-1], &[1])?;
/// let mut batch = Batch::new();
/// batch.push(Scatter { x, indices, axis: 0, table: table.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(table.to_vec::<i32>(&device)?, [0, 0, 0, 0, 1, 2]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scatter {
    /// What is written.
    pub x: View,
    /// Where to, `I32`, `U32` or `I64`, of one dimension.
    pub indices: View,
    /// The dimension of the table that the indices count along.
    pub axis: usize,
    /// Where it is written.
    pub table: View,
}

impl Operation for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn check(&self) -> Result<()> {
        let Scatter { x, indices, axis, table } = self;
        let operands = [("x", x), ("indices", indices), ("table", table)];
        let check = Check::new(self.name(), operands);
        check.any_index(indices)?;
        check.rank(indices, 1, "one index per part of x")?;
        check.axis("a table", table, *axis)?;
        let rank = table.shape().rank();
        let (from, to) = (x.dtype(), table.dtype());
        check.require(!to.is_block() || *axis + 1 < rank, || {
            format!("axis {axis} is the last one of a quantised table, whose rows are only written whole")
        })?;
        let casts = from.fits_f32() && (to.fits_f32() || to.is_block());
        check.require(from == to || casts, || {
            format!("x is {from}, which cannot be stored in a table of {to}")
        })?;
        let parts = indices.shape()[0];
        let wanted: SmallVec<[usize; MAX_RANK]> =
            (0..rank).map(|a| if a == *axis { parts } else { table.shape()[a] }).collect();
        check.shape(x, &wanted, "the shape of the table, with one part per index along the axis")
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.indices], &[&self.table])
    }

    fn cost(&self) -> Cost {
        // Of the table, only what is replaced is written.
        let written = self.x.elements() / self.table.dtype().block_len();
        let written = written * self.table.dtype().block_bytes();
        let rest = Access::new(&[&self.x, &self.indices], &[]);
        let mut cost = Cost::of(&rest, 0);
        cost.bytes += written as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::scatter(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::scatter(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::scatter(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
