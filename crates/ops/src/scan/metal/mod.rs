//! On Metal: a threadgroup for each block of a row, after the totals of all blocks if there are several.

use super::{Scan, ScanKind};
use crate::{
    bind::no_doubles,
    gpu::{Draft, Rows, msl, msl_type},
};
use bessemer_core::{
    DType, DeviceKind, Operation, Result,
    gpu::{GpuTraits, Launches},
};

/// Elements of a block, and threads for it: as in the source.
const BLOCK: usize = 1024;
const THREADS: u32 = 256;

pub(super) fn scan(op: &Scan, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    if op.x.dtype() == DType::F64 {
        return Err(no_doubles(op.name(), DeviceKind::Metal));
    }
    let (rows, blocks) = (op.x.shape().rows(), op.x.shape().width().div_ceil(BLOCK).max(1));
    let scratch = rows * blocks * op.x.dtype().block_bytes().max(4);
    let draft = |entry, write| {
        let source = msl!("../../gpu/types.metal", "scan.metal");
        let draft = Draft::new(op.name(), source, entry, gpu);
        let draft = match entry {
            "scan_carries" => draft
                .define("BUFFERS", "1")
                .define("X", msl_type(op.x.dtype()))
                .define("OUT", msl_type(op.x.dtype())),
            _ => draft.define("BUFFERS", "3").read("X", &op.x).write("OUT", &op.out),
        };
        let (total, neutral, both, out) = texts(op.kind, op.x.dtype());
        draft
            .scratch(0..scratch, write)
            .define("TOTAL", total)
            .define("NEUTRAL", neutral)
            .define("BOTH(a, b)", both)
            .define("AS_OUT(x)", out)
            .size("width", op.x.shape().width())
            .size("blocks", blocks)
            .flag("initial", op.initial)
            .last_step("x_step", &op.x)
            .last_step("out_step", &op.out)
            .rows("lines", &Rows::new([&op.x, &op.out], 1))
    };
    let mut launches = Vec::new();
    if blocks > 1 {
        launches.push(draft("scan_totals", true).grid([blocks, rows, 1], [THREADS, 1, 1])?);
        launches.push(draft("scan_carries", true).grid([rows, 1, 1], [THREADS, 1, 1])?);
    }
    launches.push(draft("scan_block", false).grid([blocks, rows, 1], [THREADS, 1, 1])?);
    Ok(Launches { launches, scratch })
}

/// The type of totals, what changes nothing, how two become one, and how one is written.
fn texts(kind: ScanKind, dtype: DType) -> (&'static str, &'static str, &'static str, &'static str) {
    let float = dtype.is_float();
    // What wraps is unsigned.
    let natural = match (float, dtype.block_bytes()) {
        (true, _) => "float",
        (_, 8) => "ulong",
        _ => "uint",
    };
    let out = if float { "from_float<OUT>(x)" } else { "OUT(x)" };
    let (total, neutral, both) = match (kind, dtype) {
        (ScanKind::Sum, _) => (natural, "0", "((a) + (b))"),
        (ScanKind::Prod, _) => (natural, "1", "((a) * (b))"),
        (ScanKind::Min, DType::I64) => ("long", "long(0x7ffffffffffffffful)", "min(a, b)"),
        (ScanKind::Max, DType::I64) => ("long", "long(0x8000000000000000ul)", "max(a, b)"),
        (ScanKind::Min, DType::U64) => ("ulong", "0xfffffffffffffffful", "min(a, b)"),
        (ScanKind::Max, DType::U64) => ("ulong", "0ul", "max(a, b)"),
        (ScanKind::Min, DType::I32) => ("int", "2147483647", "min(a, b)"),
        (ScanKind::Max, DType::I32) => ("int", "int(0x80000000u)", "max(a, b)"),
        (ScanKind::Min, DType::U32) => ("uint", "0xffffffffu", "min(a, b)"),
        (ScanKind::Max, DType::U32) => ("uint", "0u", "max(a, b)"),
        (ScanKind::Min, _) => ("float", "INFINITY", "nan_min(a, b)"),
        (ScanKind::Max, _) => ("float", "-INFINITY", "nan_max(a, b)"),
    };
    (total, neutral, both, out)
}
