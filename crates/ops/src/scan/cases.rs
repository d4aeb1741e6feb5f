//! Conformance cases.

use super::{Scan, ScanKind};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, F64, I32, I64, U32, U64},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in ScanKind::ALL {
        for dtype in [F32, F16, BF16, I32, U32, F64, I64, U64] {
            for (dims, initial) in
                [(&[1][..], false), (&[5, 33], true), (&[2, 3, 257], false), (&[3, 2100], true)]
            {
                let name = format!("{dtype} {dims:?}{}", if initial { ", initial" } else { "" });
                let case = case(kind, name, dtype, initial, move |f| numbers(f, kind, dtype, dims));
                cases.push(if dims.len() == 3 && dtype == F32 { case.quick() } else { case });
            }
        }
        for dims in [&[0, 33][..], &[4, 0], &[300, 7], &[1, 1024], &[2, 1025]] {
            for initial in [false, true] {
                let name = format!("f32 {dims:?}{}", if initial { ", initial" } else { "" });
                cases.push(case(kind, name, F32, initial, move |f| numbers(f, kind, F32, dims)));
            }
        }
        cases.push(case(kind, "f32 [1, 50000]", F32, false, move |f| {
            numbers(f, kind, F32, &[1, 50_000])
        }));
        cases.push(case(kind, "f32 along the first axis", F32, false, move |f| {
            numbers(f, kind, F32, &[70, 90])?.transpose()
        }));
        cases.push(case(kind, "i32 backwards", I32, false, move |f| {
            numbers(f, kind, I32, &[3, 600])?.step(1, 599, 600, -1)
        }));
        cases.push(Case::new(
            kind.name(),
            "f32 along the first axis, to such",
            tolerance(F32),
            move |f| {
                let x = numbers(f, kind, F32, &[2, 70, 90])?;
                let out = f.output(F32, &[2, 71, 90])?;
                Ok(Scan {
                    x: x.permute(&[0, 2, 1])?,
                    kind,
                    initial: true,
                    out: out.permute(&[0, 2, 1])?,
                })
            },
        ));
    }
    cases.push(case(ScanKind::Sum, "f32 NaN and infinities", F32, false, |f| {
        f.operand(F32, &[4, 40], |f, i| match i {
            20 => f64::NAN,
            50 => f64::INFINITY,
            90 => f64::NEG_INFINITY,
            100 => f64::INFINITY,
            _ => f.normal(),
        })
    }));
    for kind in [ScanKind::Min, ScanKind::Max] {
        cases.push(case(kind, "f32 NaN", F32, false, |f| {
            f.operand(F32, &[4, 40], |f, i| if i % 29 == 28 { f64::NAN } else { f.normal() })
        }));
    }
    cases
}

/// Numbers whose products neither vanish nor overflow.
fn numbers(f: &mut Fixture<'_>, kind: ScanKind, dtype: DType, dims: &[usize]) -> Result<View> {
    if kind != ScanKind::Prod {
        return f.random(dtype, dims);
    }
    f.operand(dtype, dims, |f, i| match dtype {
        I32 | I64 => (f.uniform() * 9.0).floor() - 4.0,
        U32 | U64 => 1.0 + (f.uniform() * 5.0).floor(),
        _ => {
            if i % 2 == 0 {
                0.5
            } else {
                2.0
            }
        }
    })
}

/// Sums cancel: what is left of them is compared with what they were made of.
fn tolerance(dtype: DType) -> Tolerance {
    Tolerance::of(dtype).widen(40.0)
}

fn case(
    kind: ScanKind,
    name: impl Into<String>,
    dtype: DType,
    initial: bool,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + 'static,
) -> Case {
    Case::new(kind.name(), name, tolerance(dtype), move |f| {
        let x = make(f)?;
        let mut dims = x.shape().to_vec();
        if let Some(width) = dims.last_mut() {
            *width += usize::from(initial);
        }
        Ok(Scan { kind, initial, out: f.output(x.dtype(), &dims)?, x })
    })
}
