//! On WebGPU: a thread per element.

use super::TakeAlong;
use crate::wgsl::{Build, launch_over, size, step, wgsl_index};
use bessemer_core::{
    DType, Operation, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &TakeAlong, gpu: &GpuTraits) -> Result<Launches> {
    let TakeAlong { x, indices, axis, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let elements = size(op.name(), out.elements())?;
    let (row, groups) = launch_over(elements);
    let mut fixed = x.strides().to_vec();
    fixed[*axis] = 0;
    // Not a number, by bits that no compiler sees through.
    let outside = match x.dtype() {
        DType::F64 => "vec2<u32>(0u, 0x7ff80000u)",
        DType::Complex64 => "vec2<u32>(0x7fc00000u, 0u)",
        dtype if dtype.is_float() => "bitcast<f32>(0x7fc00000u | (params.row >> 31u))",
        dtype if dtype.block_bytes() == 8 => "vec2<u32>()",
        DType::Bool => "false",
        dtype if dtype.is_signed_integer() => "0i",
        _ => "0u",
    };
    let launch = Build::new(gpu, "take_along.wgsl", include_str!("take_along.wgsl"))
        .read("x", x)
        .places(op.name(), "place_x", out.shape(), &fixed)?
        .read("indices", indices)
        .places(op.name(), "place_indices", out.shape(), indices.strides())?
        .write("out", out)
        .places(op.name(), "place_out", out.shape(), out.strides())?
        .u32("elements", elements)
        .u32("row", row)
        .u32("length", size(op.name(), x.shape()[*axis])?)
        .i32("axis_step", step(op.name(), x.strides()[*axis])?)
        .define("OUTSIDE", outside)
        .define("NUMBER", wgsl_index(indices.dtype()))
        .launch(groups, THREADS)?;
    Ok(launch.into())
}
