//! On WebGPU: numbers by a program, blocks by halves of words.

use crate::{Map, wgsl};
use bessemer_core::{
    DType, Error, Operation, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};
use bessemer_program::{Binary, Builder, Compare, Direction, Operand, Program, Type, Unary};

/// Launches that make `out` of `x`, rounded as [`Copy`](super::Copy) says.
pub(crate) fn launches(x: &View, out: &View, gpu: &GpuTraits) -> Result<Launches> {
    if x.dtype().is_block() {
        return Ok(blocks(x, out, gpu)?.map(Launches::from).unwrap_or_default());
    }
    let program = cast(x.dtype(), out.dtype()).map_err(|error| Error::view(error.to_string()))?;
    Map { program, inputs: vec![x.into()], outputs: vec![out.clone()] }.webgpu(gpu)
}

/// Every number as another dtype: unlike in arithmetic, integers saturate.
fn cast(from: DType, to: DType) -> bessemer_program::Result<Program> {
    let mut b = Builder::new("copy");
    let x = b.view("x", from, Direction::In);
    let out = b.view("out", to, Direction::Out);
    let x = b.load(x);
    let x = match (from, to) {
        (DType::I32, DType::U32 | DType::U8) => b.max(x, 0i32),
        (DType::U32, DType::I32) => b.min(x, i32::MAX as u32),
        _ => x,
    };
    let x = match (from, to) {
        (DType::I32 | DType::U32, DType::BF16) => rounded_once(&mut b, x),
        _ => x,
    };
    let value: Operand = b.cast(to, x);
    let value = match to {
        DType::U8 if b.type_of(value) == Type::U32 => b.min(value, 255u32),
        _ => value,
    };
    b.store(out, value);
    b.finish()
}

/// A whole number as a float that rounds to the same bfloat16 as the number does: of large ones,
/// the bits that floats have no room for become one that says whether there were any.
fn rounded_once(b: &mut Builder, x: Operand) -> Operand {
    let negative = match b.type_of(x) {
        Type::I32 => b.compare(Compare::Lt, x, 0i32),
        _ => b.compare(Compare::Lt, x, 0u32),
    };
    let size = match b.type_of(x) {
        Type::I32 => b.unary(Unary::Abs, x),
        _ => x,
    };
    let size = b.convert(Type::U32, size);
    let low = b.binary(Binary::And, size, 255u32);
    let some = b.compare(Compare::Ne, low, 0u32);
    let some = b.convert(Type::U32, some);
    let high = b.binary(Binary::Shr, size, 8u32);
    let high = b.binary(Binary::Or, high, some);
    let high = b.convert(Type::F32, high);
    let large = b.mul(high, 256.0f32);
    let small = b.convert(Type::F32, size);
    let is_small = b.compare(Compare::Lt, size, 1u32 << 24);
    let value = b.select(is_small, small, large);
    let below = b.unary(Unary::Neg, value);
    b.select(negative, below, value)
}

fn blocks(x: &View, out: &View, gpu: &GpuTraits) -> Result<Option<Launch>> {
    let (len, halves) = (x.dtype().block_len(), x.dtype().block_bytes() / 2);
    let width = x.shape().width() / len * halves;
    let elements = wgsl::size("copy", x.shape().rows() * width)?;
    if elements == 0 {
        return Ok(None);
    }
    let (row, groups) = wgsl::launch_over(elements);
    let build = wgsl::Build::new(gpu, "copy/blocks.wgsl", include_str!("blocks.wgsl"))
        .read("x", x)
        .write("out", out)
        .block_rows("copy", "x", x)?
        .block_rows("copy", "out", out)?
        .u32("width", wgsl::size("copy", width)?)
        .u32("elements", elements)
        .u32("row", row);
    Ok(Some(build.launch(groups, bessemer_program::wgsl::THREADS)?))
}
