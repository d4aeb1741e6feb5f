//! On WebGPU: a thread per value.

use super::Search;
use crate::{
    bind::no_doubles,
    wgsl::{Build, launch_over, size},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &Search, gpu: &GpuTraits) -> Result<Launches> {
    let Search { sorted, values, right, out } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let elements = size(op.name(), out.elements())?;
    let (row, groups) = launch_over(elements);
    let (key, less) = match sorted.dtype() {
        DType::F64 => return Err(no_doubles(op.name(), DeviceKind::WebGpu)),
        DType::I64 => {
            ("vec2<u32>", "bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x)")
        }
        DType::U64 => ("vec2<u32>", "a.y < b.y || (a.y == b.y && a.x < b.x)"),
        dtype if dtype.is_signed_integer() => ("i32", "a < b"),
        dtype if dtype.is_float() => ("f32", "lt_f32(a, b) || (!is_nan(a) && is_nan(b))"),
        _ => ("u32", "a < b"),
    };
    let place = match out.dtype() {
        DType::I64 => "vec2<u32>(start, 0u)",
        DType::I32 => "i32(start)",
        _ => "start",
    };
    let launch = Build::new(gpu, "search.wgsl", include_str!("search.wgsl"))
        .read("sorted", sorted)
        .rows(op.name(), "sorted", sorted)?
        .read("values", values)
        .places(op.name(), "place_values", values.shape(), values.strides())?
        .write("out", out)
        .places(op.name(), "place_out", out.shape(), out.strides())?
        .u32("elements", elements)
        .u32("row", row)
        .u32("length", size(op.name(), sorted.elements())?)
        .u32("right", (*right).into())
        .define("KEY", key)
        .define("LESS", less)
        .define("PLACE", place)
        .launch(groups, THREADS)?;
    Ok(launch.into())
}
