//! On WebGPU: blocks of the mask are counted, their counts summed up, and then their rows written.

use super::Compact;
use crate::wgsl::{Build, grid, size, step};
use bessemer_core::{
    DType, Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};

/// Elements of a block: four for each thread.
const BLOCK: usize = 1024;
const THREADS: u32 = 256;

pub(super) fn launches(op: &Compact, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let blocks = op.mask.elements().div_ceil(BLOCK);
    let launches = vec![
        launch(op, gpu, "0", blocks)?,
        launch(op, gpu, "1", 1)?,
        launch(op, gpu, "2", blocks)?,
    ];
    Ok(Launches { launches, scratch: blocks * size_of::<u32>() })
}

fn launch(op: &Compact, gpu: &GpuTraits, mode: &'static str, groups: usize) -> Result<Launch> {
    let (name, out) = (op.name(), &op.out);
    let blocks = op.mask.elements().div_ceil(BLOCK);
    let along = |axis: usize| if out.shape()[axis] <= 1 { 0 } else { out.strides()[axis] };
    let build = Build::new(gpu, "compact.wgsl", include_str!("compact.wgsl"))
        .read("mask", &op.mask)
        .rows(name, "mask", &op.mask)?
        .scratch_words("counts", 0..blocks * size_of::<u32>(), true)
        .write("out", out)
        .i32("out_row", step(name, along(0))?)
        .u32("length", size(name, op.mask.elements())?)
        .u32("blocks", size(name, blocks)?)
        .u32("room", size(name, out.shape()[0])?)
        .define("MODE", mode);
    let build = match &op.x {
        Some(x) => build
            .read("x", x)
            .places(name, "place_x", x.shape(), x.strides())?
            .u32("width", size(name, x.shape()[1])?)
            .i32("out_step", step(name, along(1))?)
            .also(
                "fn put(row: u32, i: u32) {
    for (var j = 0u; j < params.width; j++) {
        store_out(i32(row) * params.out_row + i32(j) * params.out_step, load_x(place_x(i * params.width + j)));
    }
}
",
            ),
        None => build.also(match out.dtype() {
            DType::I64 => {
                "fn put(row: u32, i: u32) { store_out(i32(row) * params.out_row, vec2<u32>(i, 0u)); }\n"
            }
            DType::I32 => "fn put(row: u32, i: u32) { store_out(i32(row) * params.out_row, i32(i)); }\n",
            _ => "fn put(row: u32, i: u32) { store_out(i32(row) * params.out_row, i); }\n",
        }),
    };
    build.launch(grid(groups), THREADS)
}
