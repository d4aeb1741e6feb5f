//! On Metal: a thread per counter.

use super::{Random, RandomKind};
use crate::{
    bind::no_doubles,
    gpu::{Draft, msl},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn random(op: &Random, gpu: &GpuTraits) -> Result<Launches> {
    let count = op.out.elements();
    if count == 0 {
        return Ok(Launches::default());
    }
    if op.out.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::Metal));
    }
    let (kind, (low_bits, last_bits), [low, size, most]) = match op.kind {
        RandomKind::Bits if op.out.dtype() == DType::U64 => ("LONGS", (0, 0), [0.0; 3]),
        RandomKind::Bits => ("BITS", (0, 0), [0.0; 3]),
        RandomKind::Uniform { low, high } => (
            "UNIFORM",
            (0, 0),
            [low, high - low, Random::most(low, high, op.out.dtype())].map(|x| x as f32),
        ),
        RandomKind::Normal { mean, deviation } => {
            ("NORMAL", (0, 0), [mean as f32, deviation as f32, 0.0])
        }
        RandomKind::Integers { low, last } => ("INTEGERS", (low, last), [0.0; 3]),
    };
    let source = msl!("../../gpu/types.metal", "random.metal");
    let launch = Draft::new(op.name(), source, "random_numbers", gpu)
        .write("OUT", &op.out)
        .define(kind, "1")
        .size("count", count)
        .word("seed_low", op.seed as u32)
        .word("seed_high", (op.seed >> 32) as u32)
        .word("stream", op.stream)
        .word("low_bits", low_bits)
        .word("last_bits", last_bits)
        .float("low", low)
        .float("size", size)
        .float("most", most)
        .over([count.div_ceil(op.each()), 1, 1])?;
    Ok(launch.into())
}
