//! On Metal: a thread per element.

use super::TakeAlong;
use crate::{
    gpu::{Draft, Rows, bits_type, msl},
    indices,
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn take_along(op: &TakeAlong, gpu: &GpuTraits) -> Result<Launches> {
    let TakeAlong { x, indices: by, axis, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let mut fixed = x.strides().to_vec();
    fixed[*axis] = 0;
    let outside = format!("{:#x}ul", indices::outside(x.dtype()));
    let source = msl!("../../gpu/types.metal", "take_along.metal");
    let launch = Draft::new(op.name(), source, "take_along", gpu)
        .read_as("TYPE", bits_type(x.dtype()), x)
        .read("INDEX", by)
        .write_another(out)
        .define("OUTSIDE", outside)
        .size("length", x.shape()[*axis])
        .size("count", out.elements())
        .step("axis_step", x.strides()[*axis])
        .rows("places", &Rows::of(out.shape(), [&fixed, by.strides(), out.strides()]))
        .over([out.elements(), 1, 1])?;
    Ok(launch.into())
}
