//! Conformance cases.

use super::Softmax;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dims in [&[1][..], &[0, 5], &[5, 0], &[3, 32], &[5, 257], &[130, 64], &[2, 3, 50_001]] {
        for dtype in [F32, F16, BF16] {
            for log in [false, true] {
                cases.push(plain(dtype, dims, log));
            }
        }
    }
    for mask in [&[1, 1, 33][..], &[4, 33], &[2, 1, 33], &[1], &[2, 4, 33]] {
        cases.push(case(format!("f32 [2, 4, 33] with a mask {mask:?}"), F32, false, move |f| {
            let mask = f.random(F16, mask)?;
            Ok((f.random(F32, &[2, 4, 33])?, 0.125, Some(mask), f.output(F32, &[2, 4, 33])?))
        }));
    }
    for [heads, rows, width] in [[2, 5, 33], [3, 65, 70]] {
        let name = format!("f32 causal mask [{rows}, {width}], {heads} heads");
        let case = case(name, F32, false, move |f| {
            let above = |i: usize| i % width > i / width + 3;
            let mask = |i| if above(i) { f64::NEG_INFINITY } else { 0.0 };
            let mask = f.operand(F32, &[rows, width], |_, i| mask(i))?;
            let x = f.random(F32, &[heads, rows, width])?;
            Ok((x, 0.3, Some(mask), f.output(F32, &[heads, rows, width])?))
        });
        cases.push(if heads == 2 { case.quick() } else { case });
    }
    cases.push(case("bf16 in place, transposed", BF16, false, |f| {
        let x = f.random(BF16, &[40, 9])?.transpose()?;
        Ok((x.clone(), 2.0, None, x))
    }));
    for log in [false, true] {
        cases.push(case(special_name(log), F32, log, |f| {
            let x = f.operand(F32, &[8, 70], |f, i| match (i / 70, i % 70) {
                (0, _) => f64::NEG_INFINITY,
                (1, 3) => f64::NAN,
                (2, _) => f64::NAN,
                (3, 5) => f64::INFINITY,
                (4, 0..69) => f64::NEG_INFINITY,
                (5, _) => 1e30 * f.normal(),
                (6, _) => -200.0 + f.normal(),
                _ => 40.0 * f.normal(),
            })?;
            Ok((x, 1.0, None, f.output(F32, &[8, 70])?))
        }));
    }
    cases
}

fn special_name(log: bool) -> &'static str {
    if log { "f32 -inf, NaN, inf, large, log" } else { "f32 -inf, NaN, inf, large" }
}

fn plain(dtype: DType, dims: &'static [usize], log: bool) -> Case {
    let name = format!("{dtype} {dims:?}{}", if log { " log" } else { "" });
    case(name, dtype, log, move |f| Ok((f.random(dtype, dims)?, 1.7, None, f.output(dtype, dims)?)))
}

fn case(
    name: impl Into<String>,
    out: DType,
    log: bool,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, f32, Option<View>, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("softmax", name, Tolerance::of(out), move |f| {
        let (x, scale, mask, out) = make(f)?;
        Ok(Softmax { x, scale, mask, log, out })
    })
}
