//! On Metal: tiles, in parts along the sum where there are few of them; thin products by streaming
//! the wide factor.

use super::{Dot, Matmul};
use crate::{
    gpu::{Draft, Rows, has_simd, msl},
    linear::metal::{FEW_THREADS, OUTPUTS, outputs_per_group, tile_type},
};
use bessemer_core::{
    Operation, Result, Shape, View,
    gpu::{GpuTraits, Launch, Launches},
};

/// Up to this many rows or columns a product is thin.
const THIN: usize = 8;
/// Rows and columns of a tile, and the threads that compute it.
const TILE: usize = 64;
const TILE_THREADS: u32 = 128;
/// The least of a sum that is worth a part of its own, and what parts are multiples of.
const PART: usize = 256;
/// Elements of a vector that a threadgroup multiplies.
const CHUNK: usize = 8192;

pub(super) fn matmul(op: &Matmul, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let of = Product::new(op)?;
    if of.m.min(of.n) <= THIN {
        return Ok(thin(op.name(), &of, gpu)?.into());
    }
    tiles(op.name(), &of, gpu)
}

/// A batch of products: all operands with the leading dimensions of the result.
struct Product {
    a: View,
    b: View,
    out: View,
    m: usize,
    k: usize,
    n: usize,
}

impl Product {
    fn new(op: &Matmul) -> Result<Product> {
        let (m, k, n) = op.sizes();
        let widened = |view: &View| {
            let mut dims = op.out.shape().to_vec();
            let last = dims.len() - 2;
            dims[last..].copy_from_slice(&view.shape()[view.shape().rank() - 2..]);
            view.broadcast_to(Shape::new(&dims)?)
        };
        Ok(Product { a: widened(&op.a)?, b: widened(&op.b)?, out: op.out.clone(), m, k, n })
    }

    fn starts(&self) -> Rows<3> {
        Rows::new([&self.a, &self.b, &self.out], 2)
    }

    /// The transposed product of the transposed factors in the other order: the same numbers.
    fn transposed(&self) -> Result<Product> {
        let (a, b, out) = (self.b.transpose()?, self.a.transpose()?, self.out.transpose()?);
        Ok(Product { a, b, out, m: self.n, k: self.k, n: self.m })
    }
}

/// The step of a dimension from the last, 0 where there is nothing to step to.
fn step(view: &View, from_last: usize) -> isize {
    let axis = view.shape().rank() - 1 - from_last;
    if view.shape()[axis] <= 1 { 0 } else { view.strides()[axis] }
}

/// Whether the elements of a column follow each other, rather than those of a row.
fn is_across(view: &View) -> bool {
    step(view, 0) != 1 && step(view, 1).unsigned_abs() <= 1
}

fn thin(name: &'static str, of: &Product, gpu: &GpuTraits) -> Result<Launch> {
    if of.m > THIN {
        return thin(name, &of.transposed()?, gpu);
    }
    // The rows of the wide factor's transpose are what is read along the sum.
    let across = step(&of.b, 1) != 1 && step(&of.b, 0) == 1;
    let entry = if across { "matmul_across" } else { "matmul_along" };
    let source =
        msl!("../../gpu/types.metal", DECODE, "../../linear/metal/dots.metal", "thin.metal");
    let starts = of.starts();
    let draft = Draft::new(name, source, entry, gpu)
        .define("ROWS", of.m.next_power_of_two().to_string())
        .define("OUTPUTS", OUTPUTS.to_string())
        .read("X", &of.a)
        .read("W", &of.b)
        .write("OUT", &of.out)
        .size("rows", of.m)
        .size("k", of.k)
        .size("outputs", of.n)
        .step("x_row", step(&of.a, 1))
        .step("x_step", step(&of.a, 0))
        .step("weight_row", step(&of.b, 0))
        .step("weight_step", step(&of.b, 1))
        .step("out_row", step(&of.out, 1))
        .step("out_step", step(&of.out, 0))
        .rows("starts", &starts);
    if across {
        draft.grid([of.n.div_ceil(32), starts.count(), 1], [256, 1, 1])
    } else {
        let groups = of.n.div_ceil(outputs_per_group(gpu));
        draft.grid([groups, starts.count(), 1], [FEW_THREADS, 1, 1])
    }
}

/// Into how many parts sums are split, so that all cores have something to do.
fn splits(of: &Product, tiles: usize, gpu: &GpuTraits) -> usize {
    let wanted = (2 * gpu.cores as usize).div_ceil(tiles);
    wanted.min(of.k / PART).max(1)
}

fn tiles(name: &'static str, of: &Product, gpu: &GpuTraits) -> Result<Launches> {
    let (starts, Product { a, b, out, m, k, n }) = (of.starts(), of);
    let batches = starts.count();
    let (columns, rows) = (n.div_ceil(TILE), m.div_ceil(TILE));
    let splits = splits(of, columns * rows * batches, gpu);
    let part = k.div_ceil(splits).next_multiple_of(32);
    let source = msl!("../../gpu/types.metal", "../../gpu/tile.metal", "tiles.metal");
    let draft = Draft::new(name, source, "matmul_tiles", gpu)
        .define_if(!gpu.simd_matrix || !has_simd(gpu), "NO_MATRIX")
        .define_if(is_across(a), "A_ACROSS")
        .define_if(!is_across(b), "B_ACROSS")
        .define_if(splits > 1, "SPLIT")
        .define("TILE_A", tile_type(a.dtype()))
        .define("TILE_B", tile_type(b.dtype()))
        .read("A", a)
        .read("B", b);
    let bytes = splits * batches * m * n * size_of::<f32>();
    let draft = match splits {
        1 => draft.write("OUT", out),
        _ => draft.scratch(0..bytes, true).define("OUT", "float"),
    };
    let (out_row, out_column) =
        if splits > 1 { (*n as isize, 1) } else { (step(out, 1), step(out, 0)) };
    let first = draft
        .size("m", *m)
        .size("k", *k)
        .size("n", *n)
        .size("batches", batches)
        .size("part", part)
        .step("a_row", step(a, 1))
        .step("a_step", step(a, 0))
        .step("b_step", step(b, 1))
        .step("b_column", step(b, 0))
        .step("out_row", out_row)
        .step("out_column", out_column)
        .rows("starts", &starts)
        .grid([columns, rows, batches * splits], [TILE_THREADS, 1, 1])?;
    if splits == 1 {
        return Ok(first.into());
    }
    let second = Draft::new(name, msl!("../../gpu/types.metal", "sum.metal"), "matmul_sum", gpu)
        .scratch(0..bytes, false)
        .write("OUT", out)
        .size("m", *m)
        .size("n", *n)
        .size("batches", batches)
        .size("splits", splits)
        .step("out_row", step(out, 1))
        .step("out_column", step(out, 0))
        .rows("starts", &Rows::new([out], 2))
        .grid([n.div_ceil(64), *m, batches], [64, 1, 1])?;
    Ok(Launches { launches: vec![first, second], scratch: bytes })
}

pub(super) fn dot(op: &Dot, gpu: &GpuTraits) -> Result<Launches> {
    let Dot { a, b, out } = op;
    let length = a.elements();
    let chunks = length.div_ceil(CHUNK).max(1);
    let source = || msl!("../../gpu/types.metal", "dot.metal");
    let bytes = if chunks > 1 { chunks * size_of::<f32>() } else { 0 };
    let first = Draft::new(op.name(), source(), "dot_part", gpu).read("A", a).read("B", b);
    let first = match bytes {
        0 => first.write("OUT", out),
        _ => first.scratch(0..bytes, true).define("OUT", "float"),
    };
    let first = first
        .size("length", length)
        .size("chunk", CHUNK)
        .last_step("a_step", a)
        .last_step("b_step", b)
        .grid([chunks, 1, 1], [256, 1, 1])?;
    if bytes == 0 {
        return Ok(first.into());
    }
    let second = Draft::new(op.name(), source(), "dot_sum", gpu)
        .define("A", "float")
        .define("B", "float")
        .scratch(0..bytes, false)
        .write("OUT", out)
        .size("parts", chunks)
        .grid([1, 1, 1], [256, 1, 1])?;
    Ok(Launches { launches: vec![first, second], scratch: bytes })
}
