//! On Metal: blocks of a row by a threadgroup each, and runs of several blocks step by step.

use super::{Sort, Sorted};
use crate::{
    bind::no_doubles,
    gpu::{Draft, Rows, bits_type, msl, msl_type},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};
use std::ops::Range;

/// Elements that a threadgroup sorts: `BLOCK` in the source.
const BLOCK: usize = 1024;

pub(super) fn sort(op: &Sort, gpu: &GpuTraits) -> Result<Launches> {
    if op.x.elements() == 0 {
        return Ok(Launches::default());
    }
    if op.x.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::Metal));
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
    Ok(Launches { launches, scratch: scratch(op)[1].end })
}

/// Bytes of keys and of places.
fn scratch(op: &Sort) -> [Range<usize>; 2] {
    let (keys, places) = (op.x.elements() * key(op).1, op.x.elements() * size_of::<u32>());
    [0..keys, keys..keys + places]
}

/// The type of keys, and its bytes.
fn key(op: &Sort) -> (&'static str, usize) {
    if op.x.dtype().block_bytes() == 8 { ("ulong", 8) } else { ("uint", 4) }
}

/// Sorts blocks, or merges what is `sorted` but for distances within blocks.
fn blocks(op: &Sort, gpu: &GpuTraits, sorted: bool, last: bool) -> Result<Launch> {
    let (x, out, [keys, places]) = (&op.x, op.out.view(), scratch(op));
    let source = msl!("../../gpu/types.metal", "sort.metal");
    let draft = Draft::new(op.name(), source, "sort_block", gpu).read("X", x);
    let draft = match op.out {
        Sorted::Elements(_) => draft.write_as("OUT", bits_type(out.dtype()), out),
        Sorted::Indices(_) => {
            draft.write_as("OUT", msl_type(out.dtype()), out).define("INDICES", "1")
        }
    };
    draft
        .define("KEY", key(op).0)
        .scratch(keys, true)
        .scratch(places, true)
        .size("width", x.shape().width())
        .flag("descending", op.descending)
        .flag("sorted", sorted)
        .flag("last", last)
        .last_step("x_step", x)
        .last_step("out_step", out)
        .rows("lines", &Rows::new([x, out], 1))
        .grid([x.shape().width().div_ceil(BLOCK), x.shape().rows(), 1], [256, 1, 1])
}

/// Compares elements in runs: each with that at the other end, or with that so far apart.
fn step(op: &Sort, gpu: &GpuTraits, run: usize, apart: usize) -> Result<Launch> {
    let source = msl!("../../gpu/types.metal", "sort.metal");
    let (rows, width, [keys, places]) = (op.x.shape().rows(), op.x.shape().width(), scratch(op));
    Draft::new(op.name(), source, "sort_step", gpu)
        .define("X", msl_type(op.x.dtype()))
        .define("OUT", msl_type(op.out.view().dtype()))
        .define_if(matches!(op.out, Sorted::Indices(_)), "INDICES")
        .define("KEY", key(op).0)
        .scratch(keys, true)
        .scratch(places, true)
        .size("width", width)
        .size("run", run)
        .size("apart", apart)
        .over([width.div_ceil(run) * (run / 2), rows, 1])
}
