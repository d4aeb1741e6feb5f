//! Gather: parts of a table, picked by index.

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

/// `out[.., i.., ..] = table[.., indices[i..], ..]` along dimension `axis`: along dimension 0, the
/// rows of a table.
///
/// The shape of `out` is that of `table` with dimension `axis` replaced by all those of `indices`.
/// An index below 0 counts from the end. One that is outside of the table gives NaN in floats and 0
/// in integers. The table is dense, or quantised where `axis` is not the last dimension; a float or
/// quantised table can be gathered to any float dtype.
#[derive(Clone, Debug)]
pub struct Gather {
    /// Where parts are picked from.
    pub table: View,
    /// Which ones, `I32` or `U32`.
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
        let refuse = |rule: String| {
            let operands = [("table", table), ("indices", indices), ("out", out)];
            Err(Error::rule(self.name(), rule, &operands))
        };
        if !matches!(indices.dtype(), DType::I32 | DType::U32) {
            return refuse("indices are i32 or u32".into());
        }
        let rank = table.shape().rank();
        if *axis >= rank {
            return refuse(format!("the table has a dimension {axis}"));
        }
        let (from, to) = (table.dtype(), out.dtype());
        if from.is_block() && *axis + 1 == rank {
            return refuse("a quantised table is not gathered along its rows".into());
        }
        let casts = (from.is_float() || from.is_block()) && to.is_float();
        if from != to && !casts || to.is_block() {
            return refuse("out has the dtype of the table, or both are floats".into());
        }
        let before = table.shape()[..*axis].iter();
        let wanted = before.chain(&**indices.shape()).chain(&table.shape()[axis + 1..]);
        if !out.shape().iter().eq(wanted) {
            return refuse(format!(
                "out has the shape of the table with those of the indices in place of dimension {axis}"
            ));
        }
        Ok(())
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
