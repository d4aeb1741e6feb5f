//! The reference implementation.

use super::{Scan, ScanKind};
use bessemer_core::{DType, Host};

pub(super) fn scan(op: &Scan, host: &mut Host<'_>) {
    let (x, dtype) = (host.read(&op.x), op.x.dtype());
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
    host.write(&op.out, &out);
}

/// Two elements put together.
fn both(kind: ScanKind, dtype: DType, a: f64, b: f64) -> f64 {
    match (kind, dtype) {
        (ScanKind::Sum, DType::I32) => (a as i32).wrapping_add(b as i32).into(),
        (ScanKind::Prod, DType::I32) => (a as i32).wrapping_mul(b as i32).into(),
        (ScanKind::Sum, DType::U32) => (a as u32).wrapping_add(b as u32).into(),
        (ScanKind::Prod, DType::U32) => (a as u32).wrapping_mul(b as u32).into(),
        (ScanKind::Sum, _) => a + b,
        (ScanKind::Prod, _) => a * b,
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        (ScanKind::Min, _) => a.min(b),
        (ScanKind::Max, _) => a.max(b),
    }
}
