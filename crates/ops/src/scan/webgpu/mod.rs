//! On WebGPU: a workgroup for each block of a row, after the totals of all blocks if there are several.

use super::{Scan, ScanKind};
use crate::{
    bind::no_doubles,
    wgsl::{Build, grid, size},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Real, Result,
    gpu::{GpuTraits, Launch, Launches},
};
use bessemer_program::wgsl::WIDE;

/// Elements of a block: four for each thread.
const BLOCK: usize = 1024;
const THREADS: u32 = 256;

pub(super) fn launches(op: &Scan, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    if op.x.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::WebGpu));
    }
    let (rows, blocks) = (op.x.shape().rows(), op.x.shape().width().div_ceil(BLOCK).max(1));
    let wide = op.x.dtype().block_bytes() == 8;
    let scratch = rows * blocks * if wide { 8 } else { 4 };
    let launch = |mode: &'static str, groups: usize| -> Result<Launch> {
        let (total, neutral, both) = texts(op.kind, op.x.dtype());
        let build = Build::new(gpu, "scan.wgsl", include_str!("scan.wgsl"))
            .read("x", &op.x)
            .rows(op.name(), "x", &op.x)?
            .write("out", &op.out)
            .rows(op.name(), "out", &op.out)?
            .scratch_words("carries", 0..scratch, true)
            .u32("rows", size(op.name(), rows)?)
            .u32("width", size(op.name(), op.x.shape().width())?)
            .u32("blocks", size(op.name(), blocks)?)
            .u32("initial", op.initial.into())
            .u32("neutral", neutral as u32)
            .u32("neutral_high", (neutral >> 32) as u32)
            .define(
                "CARRIES",
                if wide { CARRIES_64.to_owned() } else { CARRIES_32.replace("TOTAL", total) },
            )
            .define("MODE", mode)
            .define("TOTAL", total)
            .define("BOTH", both);
        let build = if wide { build.also(WIDE) } else { build };
        build.launch(grid(size(op.name(), groups)? as usize), THREADS)
    };
    let mut launches = Vec::new();
    if blocks > 1 {
        launches.push(launch("0", rows * blocks)?);
        launches.push(launch("1", rows)?);
    }
    launches.push(launch("2", rows * blocks)?);
    Ok(Launches { launches, scratch })
}

/// How totals of one word, or of two, are kept between launches.
const CARRIES_32: &str = "
fn neutral_total() -> TOTAL { return bitcast<TOTAL>(params.neutral); }
fn carry_of(i: u32) -> TOTAL { return bitcast<TOTAL>(carries[i]); }
fn keep_carry(i: u32, total: TOTAL) { carries[i] = bitcast<u32>(total); }
";
const CARRIES_64: &str = "
fn neutral_total() -> vec2<u32> { return vec2<u32>(params.neutral, params.neutral_high); }
fn carry_of(i: u32) -> vec2<u32> { return vec2<u32>(carries[2u * i], carries[2u * i + 1u]); }
fn keep_carry(i: u32, total: vec2<u32>) {
    carries[2u * i] = total.x;
    carries[2u * i + 1u] = total.y;
}
";

/// The type of totals, the bits of what changes nothing, and how two become one.
fn texts(kind: ScanKind, dtype: DType) -> (&'static str, u64, &'static str) {
    let neutral = kind.neutral(dtype);
    let (total, bits) = match dtype {
        DType::I32 => ("i32", i32::from_number(neutral).cast_unsigned().into()),
        DType::U32 => ("u32", u32::from_number(neutral).into()),
        DType::I64 => ("vec2<u32>", i64::from_number(neutral).cast_unsigned()),
        DType::U64 => ("vec2<u32>", u64::from_number(neutral)),
        _ => ("f32", f32::from_number(neutral).to_bits().into()),
    };
    let both = match (kind, dtype) {
        (ScanKind::Sum, DType::I64 | DType::U64) => "add_64(a, b)",
        (ScanKind::Prod, DType::I64 | DType::U64) => "mul_64(a, b)",
        (ScanKind::Min, DType::I64) => "min_i64(a, b)",
        (ScanKind::Max, DType::I64) => "max_i64(a, b)",
        (ScanKind::Min, DType::U64) => "min_u64(a, b)",
        (ScanKind::Max, DType::U64) => "max_u64(a, b)",
        (ScanKind::Sum, _) => "a + b",
        (ScanKind::Prod, _) => "a * b",
        (ScanKind::Min, dtype) if dtype.is_float() => "min_f32(a, b)",
        (ScanKind::Max, dtype) if dtype.is_float() => "max_f32(a, b)",
        (ScanKind::Min, _) => "min(a, b)",
        (ScanKind::Max, _) => "max(a, b)",
    };
    (total, bits, both)
}
