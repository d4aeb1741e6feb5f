//! On WebGPU: blocks of a row by a workgroup each, and runs of several blocks step by step.

use super::{Sort, Sorted};
use crate::{
    bind::no_doubles,
    wgsl::{Build, grid, launch_over, size},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};
use bessemer_program::wgsl::THREADS;

/// Elements that a workgroup sorts.
const BLOCK: usize = 1024;

pub(super) fn launches(op: &Sort, gpu: &GpuTraits) -> Result<Launches> {
    if op.x.elements() == 0 {
        return Ok(Launches::default());
    }
    if op.x.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::WebGpu));
    }
    let width = op.x.shape().width();
    let mut launches = vec![blocks(op, gpu, false, width <= BLOCK)?];
    let mut run = 2 * BLOCK;
    while run / 2 < width {
        launches.push(step(op, gpu, run, 0)?);
        let mut apart = run / 4;
        while apart >= BLOCK {
            launches.push(step(op, gpu, run, apart)?);
            apart /= 2;
        }
        launches.push(blocks(op, gpu, true, run >= width)?);
        run *= 2;
    }
    Ok(Launches { launches, scratch: scratch(op) })
}

/// Bytes of keys and of places.
fn scratch(op: &Sort) -> usize {
    (op.x.dtype().block_bytes().max(4) + size_of::<u32>()) * op.x.elements()
}

/// Keys of one word or of two, and what is done with them.
fn keys<'g>(op: &Sort, build: Build<'g>) -> Build<'g> {
    let (ty, keys, places) = match op.x.dtype().block_bytes() {
        8 => ("vec2<u32>", include_str!("keys_64.wgsl"), "(2u * params.elements)"),
        _ => ("u32", include_str!("keys_32.wgsl"), "params.elements"),
    };
    // Words of texts that are put in are not replaced themselves.
    build.define("KEY_TYPE", ty).define("KEYS", keys).define("PLACES", places)
}

/// Sorts blocks, or merges what is `sorted` but for distances within blocks.
fn blocks(op: &Sort, gpu: &GpuTraits, sorted: bool, last: bool) -> Result<Launch> {
    let (x, out) = (&op.x, op.out.view());
    let (rows, width) = (x.shape().rows(), x.shape().width());
    let blocks = width.div_ceil(BLOCK);
    let key = match x.dtype() {
        DType::I64 => "x ^ vec2<u32>(0u, 0x80000000u)",
        DType::U64 => "x",
        dtype if dtype.is_signed_integer() => "u32(x) ^ 0x80000000u",
        dtype if dtype.is_float() => "key_of_float(x)",
        _ => "u32(x)",
    };
    let last_key = match x.dtype().is_float() {
        true => "is_nan(x)",
        false => "false",
    };
    let save = match op.out {
        Sorted::Elements(_) => "load_x(x + i32(place) * params.x_step)",
        Sorted::Indices(_) => match out.dtype() {
            DType::I64 => "vec2<u32>(place, 0u)",
            DType::I32 => "i32(place)",
            _ => "place",
        },
    };
    keys(op, Build::new(gpu, "sort_block.wgsl", include_str!("sort_block.wgsl")))
        .read("x", x)
        .rows(op.name(), "x", x)?
        .write("out", out)
        .rows(op.name(), "out", out)?
        .scratch_words("kept", 0..scratch(op), true)
        .u32("rows", size(op.name(), rows)?)
        .u32("width", size(op.name(), width)?)
        .u32("blocks", size(op.name(), blocks)?)
        .u32("elements", size(op.name(), x.elements())?)
        .u32("descending", op.descending.into())
        .u32("last", last.into())
        .define("SORTED", if sorted { "true" } else { "false" })
        .define("KEY", key)
        .define("LAST_KEY", last_key)
        .define("SAVE", save)
        .define("BLOCK", format!("{BLOCK}u"))
        .launch(grid(size(op.name(), blocks * rows)? as usize), 256)
}

/// Compares elements in runs: each with that at the other end, or with that so far apart.
fn step(op: &Sort, gpu: &GpuTraits, run: usize, apart: usize) -> Result<Launch> {
    let (rows, width) = (op.x.shape().rows(), op.x.shape().width());
    let pairs = width.div_ceil(run) * (run / 2);
    let (row, groups) = launch_over(size(op.name(), pairs * rows)?);
    keys(op, Build::new(gpu, "sort_step.wgsl", include_str!("sort_step.wgsl")))
        .scratch_words("kept", 0..scratch(op), true)
        .u32("threads", size(op.name(), pairs * rows)?)
        .u32("row", row)
        .u32("pairs", size(op.name(), pairs)?)
        .u32("width", size(op.name(), width)?)
        .u32("elements", size(op.name(), op.x.elements())?)
        .u32("run", size(op.name(), run)?)
        .u32("apart", size(op.name(), apart)?)
        .launch(groups, THREADS)
}
