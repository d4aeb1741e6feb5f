//! On WebGPU: a thread for each element that is written, or for each block.

use super::Scatter;
use crate::{
    quantize::webgpu::encoder,
    wgsl::{Build, launch_over, size, step, wgsl_index},
};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

const NAME: &str = "scatter";

pub(super) fn launches(op: &Scatter, gpu: &GpuTraits) -> Result<Launches> {
    if op.x.elements() == 0 {
        return Ok(Launches::default());
    }
    let Scatter { x, indices, axis, table } = op;
    let to = table.dtype();
    let block = to.block_len();
    // What one thread writes: an element, or the halves of a block.
    let same_blocks = x.dtype().is_block();
    let inner: usize = x.shape()[axis + 1..].iter().product::<usize>() / block
        * if same_blocks { to.block_bytes() / 2 } else { 1 };
    let outer: usize = x.shape()[..*axis].iter().product();
    let count = indices.elements();
    let elements = size(NAME, outer * count * inner)?;
    let (row, groups) = launch_over(elements);
    let build = Build::new(gpu, "scatter.wgsl", include_str!("scatter.wgsl"))
        .read("x", x)
        .read("indices", indices)
        .rows(NAME, "indices", indices)?
        .write("table", table)
        .u32("elements", elements)
        .u32("row", row)
        .u32("inner", size(NAME, inner)?)
        .u32("count", size(NAME, count)?)
        .u32("len", size(NAME, table.shape()[*axis])?)
        .define("NUMBER", wgsl_index(indices.dtype()));
    let build = places(build, "x", x, *axis, to.is_block())?;
    let build = places(build, "table", table, *axis, to.is_block())?;
    let build = match (same_blocks, to.is_block()) {
        (true, _) => build.u32("width", size(NAME, width(table))?).define("ENCODE", "").also(
            "fn put(outer: u32, number: u32, place: u32, inner: u32) {
    let row = inner / params.width;
    let j = i32(inner % params.width);
    store_half_table(at_table(outer, place, row) + j, half_x(at_x(outer, number, row) + j));
}
",
        ),
        (false, true) => {
            let blocks = table.shape().width() / block;
            let last = x.strides()[x.shape().rank() - 1];
            build
                .u32("width", size(NAME, blocks)?)
                .i32("x_inside", step(NAME, last)?)
                .define("ENCODE", encoder("table", to))
                .also(&format!(
                    "fn put(outer: u32, number: u32, place: u32, inner: u32) {{
    let row = inner / params.width;
    let j = i32(inner % params.width);
    let base = at_x(outer, number, row) + j * {block} * params.x_inside;
    for (var i = 0; i < {block}; i++) {{ block_values[i] = load_x(base + i * params.x_inside); }}
    encode_table(at_table(outer, place, row) + j * {});
}}
",
                    to.block_bytes() / 2
                ))
        }
        (false, false) => build.define("ENCODE", "").also(
            "fn put(outer: u32, number: u32, place: u32, inner: u32) {
    store_table(at_table(outer, place, inner), load_x(at_x(outer, number, inner)));
}
",
        ),
    };
    Ok(build.launch(groups, THREADS)?.into())
}

/// Halves of a row of blocks.
fn width(view: &View) -> usize {
    view.shape().width() / view.dtype().block_len() * (view.dtype().block_bytes() / 2)
}

/// `at_NAME(outer, number, inner)`: where an element lies, or where a row of them starts.
fn places<'g>(
    build: Build<'g>,
    name: &str,
    view: &View,
    axis: usize,
    rows: bool,
) -> Result<Build<'g>> {
    let (len, halves) =
        (view.dtype().block_len() as isize, view.dtype().block_bytes() as isize / 2);
    let unit = |&step: &isize| if len > 1 { step / len * halves } else { step };
    let steps: Vec<isize> = view.strides().iter().map(unit).collect();
    let rank = view.shape().rank();
    let end = if rows { rank - 1 } else { rank };
    let dims = view.shape();
    let (function, inside) = (format!("outer_{name}"), format!("inner_{name}"));
    Ok(build
        .places(NAME, &function, &dims[..axis], &steps[..axis])?
        .places(NAME, &inside, &dims[axis + 1..end], &steps[axis + 1..end])?
        .i32(&format!("{name}_axis"), step(NAME, steps[axis])?)
        .also(&format!(
            "fn at_{name}(outer: u32, number: u32, inner: u32) -> i32 {{
    return {function}(outer) + i32(number) * params.{name}_axis + {inside}(inner);
}}
"
        )))
}
