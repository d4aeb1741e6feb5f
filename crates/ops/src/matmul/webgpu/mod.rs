//! On WebGPU: the tiles of `linear`, over a batch; software adapters have their own
//! kernel. A dot product is a sum.

mod lanes;

use super::{Dot, Matmul, leading};
use crate::{
    Reduce, ReduceKind,
    linear::webgpu::{tile, tile_groups},
    wgsl::{has_lanes, size},
};
use bessemer_core::{
    Error, Operation, Result, Shape, View,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::{Builder, Direction};

pub(super) fn launches(op: &Matmul, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "matmul";
    let (m, k, n) = op.sizes();
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let batch = leading(&op.out)?.elements();
    if has_lanes(gpu) {
        return Ok(lanes::launch(op, gpu, batch)?.into());
    }
    let a = widened(&op.a, op)?;
    let b = widened(&op.b, op)?.transpose()?;
    let build = tile(gpu)
        .read_rows(NAME, "a", &a)?
        .read_rows(NAME, "b", &b)?
        .write("out", &op.out)
        .rows(NAME, "out", &op.out)?
        .u32("m", size(NAME, m)?)
        .u32("n", size(NAME, n)?)
        .u32("k", size(NAME, k)?)
        .u32("tile", 256)
        .u32("four", 4)
        .also(
            "var<private> batch: u32;
fn begin(number: u32) { batch = number; }
fn base_a(row: u32) -> i32 { return row_a(batch * params.m + row); }
fn base_b(row: u32) -> i32 { return row_b(batch * params.n + row); }
fn put(row: u32, column: u32, values: vec4<f32>) {
    if row >= params.m { return; }
    let out = row_out(batch * params.m + row);
    for (var i = 0u; i < 4u; i++) {
        if column + i < params.n { store_out(out + i32(column + i) * params.out_step, values[i]); }
    }
}
",
        );
    Ok(build.launch(tile_groups(m, n, batch)?, 64)?.into())
}

/// The view with the leading dimensions of the result.
fn widened(view: &View, op: &Matmul) -> Result<View> {
    let mut dims = op.out.shape().to_vec();
    let last = dims.len() - 2;
    dims[last..].copy_from_slice(&view.shape()[view.shape().rank() - 2..]);
    view.broadcast_to(Shape::new(&dims)?)
}

pub(super) fn dot(op: &Dot, gpu: &GpuTraits) -> Result<Launches> {
    let mut b = Builder::new("dot");
    let x = b.view("a", op.a.dtype(), Direction::In);
    let y = b.view("b", op.b.dtype(), Direction::In);
    let (x, y) = (b.load(x), b.load(y));
    let product = b.mul(x, y);
    b.yield_(product);
    let program = b.finish().map_err(|error| Error::view(error.to_string()))?;
    let inputs = vec![(&op.a).into(), (&op.b).into()];
    let output = op.out.clone();
    let kind = ReduceKind::Sum;
    Reduce { program, kind, axes: vec![0], keepdim: false, inputs, output }.webgpu(gpu)
}
