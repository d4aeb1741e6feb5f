//! On Metal: a thread per element.

use super::Gather;
use crate::gpu::{Draft, Rows, bits_type, msl};
use bessemer_core::{
    DType, Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn gather(op: &Gather, gpu: &GpuTraits) -> Result<Launches> {
    let Gather { table, indices, axis, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (axis, picked) = (*axis, indices.shape().rank());
    let (from, to) = (table.strides(), out.strides());
    let dims = table.shape();
    let outer = Rows::of(&dims[..axis], [&from[..axis], &to[..axis]]);
    let inner = Rows::of(&dims[axis + 1..], [&from[axis + 1..], &to[axis + picked..]]);
    let picked = Rows::of(indices.shape(), [indices.strides(), &to[axis..axis + picked]]);
    let source = msl!("../../gpu/types.metal", DECODE, "gather.metal");
    let draft = Draft::new(op.name(), source, "gather", gpu);
    let draft = if table.dtype() == out.dtype() {
        // Bits are moved as they are: a GPU may flush the smallest numbers to zero.
        let outside = match out.dtype() {
            DType::F32 | DType::Complex64 => "0x7fc00000",
            DType::F64 => "0x7ff8000000000000ul",
            DType::F16 => "0x7e00",
            DType::BF16 => "0x7fc0",
            _ => "0",
        };
        let bits = bits_type(out.dtype());
        draft
            .read_as("TABLE", bits, table)
            .read("INDEX", indices)
            .write_as("OUT", bits, out)
            .define("OUTSIDE", outside)
            .define("MOVED", "1")
    } else {
        draft
            .read("TABLE", table)
            .read("INDEX", indices)
            .write("OUT", out)
            .define("OUTSIDE", "from_float<OUT>(NAN)")
            .define_if(table.dtype().is_block(), "BLOCKS")
    };
    let launch = draft
        .size("length", dims[axis])
        .size("inner_elements", inner.count())
        .step_of("axis_step", table, axis)
        .rows("outer", &outer)
        .rows("picked", &picked)
        .rows("inner", &inner)
        .over([inner.count(), picked.count(), outer.count()])?;
    Ok(launch.into())
}
