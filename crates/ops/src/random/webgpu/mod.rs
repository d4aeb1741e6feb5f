//! On WebGPU: a thread per counter.

use super::{Random, RandomKind};
use crate::{
    bind::no_doubles,
    wgsl::{Build, launch_over, size},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launches},
};
use bessemer_program::wgsl::THREADS;

pub(super) fn launches(op: &Random, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    if op.out.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::WebGpu));
    }
    let (kind, (low_bits, last_bits), [low, range, most]) = match op.kind {
        RandomKind::Bits if op.out.dtype() == DType::U64 => (LONGS, (0, 0), [0.0; 3]),
        RandomKind::Bits => (BITS, (0, 0), [0.0; 3]),
        RandomKind::Uniform { low, high } => (
            UNIFORM,
            (0, 0),
            [low, high - low, Random::most(low, high, op.out.dtype())].map(|x| x as f32),
        ),
        RandomKind::Normal { mean, deviation } => {
            (NORMAL, (0, 0), [mean as f32, deviation as f32, 0.0])
        }
        RandomKind::Integers { low, last } => (INTEGERS, (low, last), [0.0; 3]),
    };
    let counters = size(op.name(), op.out.elements())?.div_ceil(op.each() as u32);
    let (row, groups) = launch_over(counters);
    let number = match op.out.dtype() {
        DType::I32 => "bitcast<i32>",
        _ => "",
    };
    let launch = Build::new(gpu, "random.wgsl", include_str!("random.wgsl"))
        .write("out", &op.out)
        .u32("counters", counters)
        .u32("row", row)
        .u32("count", size(op.name(), op.out.elements())?)
        .u32("seed_low", op.seed as u32)
        .u32("seed_high", (op.seed >> 32) as u32)
        .u32("stream", op.stream)
        .u32("low_bits", low_bits)
        .u32("last_bits", last_bits)
        .f32("low", low)
        .f32("range", range)
        .f32("most", most)
        .define("EACH", format!("{}u", op.each()))
        .define("NUMBERS", kind)
        .define("NUMBER", number)
        .launch(groups, THREADS)?;
    Ok(launch.into())
}

/// What is made of the words of a counter, as `numbers`.
const BITS: &str = "var numbers = words;";
const LONGS: &str = "var numbers = array<vec2<u32>, 2>(words.yx, words.wz);";
const UNIFORM: &str = "var numbers = array<f32, 4>(uniform_of(words.x), uniform_of(words.y), \
                       uniform_of(words.z), uniform_of(words.w));";
const NORMAL: &str = "let one = normals(words.x, words.y);
    let two = normals(words.z, words.w);
    var numbers = array<f32, 4>(one.x, one.y, two.x, two.y);";
const INTEGERS: &str =
    "var numbers = array<u32, 2>(integer(words.x, words.y), integer(words.z, words.w));";
