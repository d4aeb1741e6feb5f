//! On WebGPU: a workgroup for each block of a row, after the totals of all blocks if there are several.

use super::{Scan, ScanKind};
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    DType, Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};

/// Elements of a block: four for each thread.
const BLOCK: usize = 1024;
const THREADS: u32 = 256;

pub(super) fn launches(op: &Scan, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (rows, blocks) = (op.x.shape().rows(), op.x.shape().width().div_ceil(BLOCK).max(1));
    let scratch = rows * blocks * size_of::<u32>();
    let launch = |mode: &'static str, groups: usize| -> Result<Launch> {
        let (total, neutral, both) = texts(op.kind, op.x.dtype());
        // The bits of a total that is no number of WGSL's.
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
            .u32("neutral", neutral)
            .define("MODE", mode)
            .define("TOTAL", total)
            .define("BOTH", both);
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

/// The type of totals, the bits of what changes nothing, and how two become one.
fn texts(kind: ScanKind, dtype: DType) -> (&'static str, u32, &'static str) {
    let total = match dtype {
        DType::I32 => "i32",
        DType::U32 => "u32",
        _ => "f32",
    };
    let neutral = kind.neutral(dtype);
    let bits = match dtype {
        DType::I32 => (neutral as i32).cast_unsigned(),
        DType::U32 => neutral as u32,
        _ => (neutral as f32).to_bits(),
    };
    let both = match (kind, dtype.is_float()) {
        (ScanKind::Sum, _) => "a + b",
        (ScanKind::Prod, _) => "a * b",
        (ScanKind::Min, true) => "min_f32(a, b)",
        (ScanKind::Max, true) => "max_f32(a, b)",
        (ScanKind::Min, false) => "min(a, b)",
        (ScanKind::Max, false) => "max(a, b)",
    };
    (total, bits, both)
}
