//! On WebGPU: a thread for each pair.

use super::{Rope, RopePairs};
use crate::wgsl::{Build, launch_over, size};
use bessemer_core::{
    DType, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

/// Sine and cosine of a position times a frequency, as WGSL.
pub(crate) const TURN: &str = include_str!("turn.wgsl");

/// Positions before the first turn the other way.
const SIGNED: &str = "fn turn_of(p: i32, f: f32) -> vec2<f32> {
    let t = turn_at(bitcast<u32>(abs(p)), f);
    return vec2<f32>(select(t.x, -t.x, p < 0), t.y);
}
";

pub(super) fn launches(op: &Rope, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "rope";
    if op.x.elements() == 0 {
        return Ok(Launches::default());
    }
    let [rows, heads, head_size] = **op.x.shape() else {
        return Ok(Launches::default());
    };
    let pairs = op.frequencies.elements();
    let width = head_size - pairs;
    let elements = size(NAME, rows * heads * width)?;
    let (row, groups) = launch_over(elements);
    let build = Build::new(gpu, "rope.wgsl", include_str!("rope.wgsl"))
        .read("x", &op.x)
        .rows(NAME, "x", &op.x)?
        .read("positions", &op.positions)
        .rows(NAME, "positions", &op.positions)?
        .read("frequencies", &op.frequencies)
        .rows(NAME, "frequencies", &op.frequencies)?
        .write("out", &op.out)
        .rows(NAME, "out", &op.out)?
        .u32("elements", elements)
        .u32("row", row)
        .u32("width", size(NAME, width)?)
        .u32("heads", size(NAME, heads)?)
        .u32("pairs", size(NAME, pairs)?)
        .u32("halves", u32::from(op.pairs == RopePairs::Halves))
        .f32("magnitude", op.magnitude)
        .define("TURN", TURN)
        .also(match op.positions.dtype() {
            DType::I32 => SIGNED,
            _ => "fn turn_of(p: u32, f: f32) -> vec2<f32> { return turn_at(p, f); }\n",
        });
    Ok(build.launch(groups, THREADS)?.into())
}
