//! On Metal: a thread per pair.

use super::{Rope, RopePairs};
use crate::gpu::{Draft, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn rope(op: &Rope, gpu: &GpuTraits) -> Result<Launches> {
    let Rope { x, positions, frequencies, magnitude, pairs, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (rows, heads, size) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    let turned = frequencies.elements();
    let source = msl!("../../gpu/types.metal", "../../gpu/turn.metal", "rope.metal");
    let launch = Draft::new(op.name(), source, "rope", gpu)
        .read("X", x)
        .read("POSITION", positions)
        .read("FREQUENCY", frequencies)
        .write("OUT", out)
        .size("heads", heads)
        .size("size", size)
        .size("pairs", turned)
        .flag("neighbours", *pairs == RopePairs::Neighbours)
        .step_of("x_row", x, 0)
        .step_of("x_head", x, 1)
        .last_step("x_step", x)
        .step_of("out_row", out, 0)
        .step_of("out_head", out, 1)
        .last_step("out_step", out)
        .last_step("position_step", positions)
        .last_step("frequency_step", frequencies)
        .float("magnitude", *magnitude)
        .over([size - turned, heads, rows])?;
    Ok(launch.into())
}
