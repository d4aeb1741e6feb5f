//! On WebGPU: a thread for each element of the result. A table that is more than can be bound at
//! once is gone through in parts.

use super::Gather;
use crate::wgsl::{Build, element_type, launch_over, parts, size, step, wgsl_index};
use bessemer_core::{
    DType, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

const NAME: &str = "gather";

pub(super) fn launches(op: &Gather, gpu: &GpuTraits) -> Result<Launches> {
    let mut all = Launches::default();
    if op.out.elements() == 0 {
        return Ok(all);
    }
    let axis = op.axis;
    for part in parts(gpu, &op.table, axis) {
        let table = op.table.narrow(axis, part.clone())?;
        let (dims, steps) = (table.shape(), table.strides());
        let elements = size(NAME, op.out.elements())?;
        let (row, groups) = launch_over(elements);
        let inner: usize = dims[axis + 1..].iter().product();
        // Not a number, by bits that no compiler sees through.
        let outside = match op.out.dtype() {
            DType::F64 => "vec2<u32>(0u, 0x7ff80000u)",
            DType::Complex64 => "vec2<u32>(0x7fc00000u, 0u)",
            dtype if dtype.is_float() => "bitcast<f32>(0x7fc00000u | (params.row >> 31u))",
            dtype if dtype.block_bytes() == 8 => "vec2<u32>()",
            DType::Bool => "false",
            dtype if dtype.is_signed_integer() => "0i",
            _ => "0u",
        };
        let build = Build::new(gpu, "gather.wgsl", include_str!("gather.wgsl"))
            .read("table", &table)
            .read("indices", &op.indices)
            .places(NAME, "place_indices", op.indices.shape(), op.indices.strides())?
            .write("out", &op.out)
            .places(NAME, "place_out", op.out.shape(), op.out.strides())?
            .u32("elements", elements)
            .u32("row", row)
            .u32("inner", size(NAME, inner)?)
            .u32("picked", size(NAME, op.indices.elements())?)
            .u32("all", size(NAME, op.table.shape()[axis])?)
            .u32("start", size(NAME, part.start)?)
            .u32("len", size(NAME, part.len())?)
            .define("OUTSIDE", outside)
            .define("NUMBER", wgsl_index(op.indices.dtype()));
        let build = match table.dtype().is_block() {
            // Dimensions before the axis, the axis, then rows of blocks.
            true => {
                let unit = |step: isize| {
                    let dtype = table.dtype();
                    step / dtype.block_len() as isize * (dtype.block_bytes() / 2) as isize
                };
                let leading = dims.rank() - 1;
                let units: Vec<isize> = steps[..leading].iter().map(|&step| unit(step)).collect();
                build
                    .places(NAME, "place_outer", &dims[..axis], &units[..axis])?
                    .places(NAME, "place_inner", &dims[axis + 1..leading], &units[axis + 1..])?
                    .i32("axis_step", step(NAME, units[axis])?)
                    .u32("width", size(NAME, dims.width())?)
                    .quads("table", dims.width())
                    .also(
                        "fn element(outer: u32, number: u32, inner: u32) -> f32 {
    let row = place_outer(outer) + i32(number) * params.axis_step + place_inner(inner / params.width);
    return element_table(row, inner % params.width);
}
",
                    )
            }
            false => {
                let ty = element_type(table.dtype());
                build
                    .places(NAME, "place_outer", &dims[..axis], &steps[..axis])?
                    .places(NAME, "place_inner", &dims[axis + 1..], &steps[axis + 1..])?
                    .i32("axis_step", step(NAME, steps[axis])?)
                    .also(&format!(
                        "fn element(outer: u32, number: u32, inner: u32) -> {ty} {{
    return load_table(place_outer(outer) + i32(number) * params.axis_step + place_inner(inner));
}}
"
                    ))
            }
        };
        all.launches.push(build.launch(groups, THREADS)?);
    }
    Ok(all)
}
