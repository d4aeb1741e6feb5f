//! On Metal: a thread per element, or per block.

use super::Scatter;
use crate::gpu::{Draft, Rows, bits_type, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn scatter(op: &Scatter, gpu: &GpuTraits) -> Result<Launches> {
    let Scatter { x, indices, axis, table } = op;
    if x.elements() == 0 {
        return Ok(Launches::default());
    }
    let (axis, from, to) = (*axis, x.strides(), table.strides());
    let dims = table.shape();
    let outer = Rows::of(&dims[..axis], [&from[..axis], &to[..axis]]);
    let inner = Rows::of(&dims[axis + 1..], [&from[axis + 1..], &to[axis + 1..]]);
    let dtype = table.dtype();
    let source = msl!("../../gpu/types.metal", ENCODE, "scatter.metal");
    let mut draft = Draft::new(op.name(), source, "scatter", gpu);
    let moved = x.dtype() == dtype;
    let inputs = |draft: Draft| match moved {
        true => draft.read_as("X", bits_type(dtype), x).read("INDEX", indices),
        false => draft.read("X", x).read("INDEX", indices),
    };
    draft = inputs(draft).define_if(moved, "MOVED");
    draft = if dtype.is_block() {
        let draft = draft
            .write_as("TABLE", "ushort", table)
            .define("BLOCK_LENGTH", dtype.block_len().to_string())
            .define("PAIRS", (dtype.block_bytes() / 2).to_string());
        if moved { draft } else { draft.define("ENCODED", dtype.name()) }
    } else if moved {
        draft.write_as("TABLE", bits_type(dtype), table)
    } else {
        draft.write("TABLE", table)
    };
    let items = inner.count() / dtype.block_len();
    let launch = draft
        .size("length", dims[axis])
        .size("indices", indices.elements())
        .size("inner_elements", items)
        .step_of("axis_step", table, axis)
        .step_of("x_axis_step", x, axis)
        .last_step("index_step", indices)
        .rows("outer", &outer)
        .rows("inner", &inner)
        .over([items, indices.elements(), outer.count()])?;
    Ok(launch.into())
}
