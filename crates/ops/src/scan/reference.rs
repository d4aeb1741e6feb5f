//! The reference implementation.

use super::{Scan, ScanKind};
use bessemer_core::{DType, Host, Number};

pub(super) fn scan(op: &Scan, host: &mut Host<'_>) {
    let (x, dtype) = (host.read_numbers(&op.x), op.x.dtype());
    let width = op.x.shape().width();
    let mut out = Vec::new();
    for row in 0..op.x.shape().rows() {
        let mut total = op.kind.neutral(dtype);
        if op.initial {
            out.push(total);
        }
        for &x in &x[row * width..(row + 1) * width] {
            total = both(op.kind, dtype, total, x);
            out.push(total);
        }
    }
    host.write_numbers(&op.out, &out);
}

/// Two elements put together.
fn both(kind: ScanKind, dtype: DType, a: Number, b: Number) -> Number {
    if let (Number::Integer(a), Number::Integer(b)) = (a, b) {
        return Number::Integer(match kind {
            ScanKind::Sum => wrapped(dtype, a + b),
            ScanKind::Prod => wrapped(dtype, a.wrapping_mul(b)),
            ScanKind::Min => a.min(b),
            ScanKind::Max => a.max(b),
        });
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    Number::Float(match kind {
        ScanKind::Sum => a + b,
        ScanKind::Prod => a * b,
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        ScanKind::Min => a.min(b),
        ScanKind::Max => a.max(b),
    })
}

/// The integer that the lowest bits are.
fn wrapped(dtype: DType, x: i128) -> i128 {
    match dtype {
        DType::I32 => (x as i32).into(),
        DType::U32 => (x as u32).into(),
        DType::I64 => (x as i64).into(),
        _ => (x as u64).into(),
    }
}
