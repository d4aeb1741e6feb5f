//! Conformance cases.

use super::Search;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, Bool, F32, I32, I64, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN.into_iter().filter(|dtype| !dtype.is_complex()) {
        for right in [false, true] {
            cases.push(case(format!("{dtype}, {}", side(right)), right, U32, move |f| {
                Ok((sorted(f, dtype, 300)?, f.random(dtype, &[7, 33])?))
            }));
        }
    }
    for right in [false, true] {
        for (len, count) in [(0, 5), (1, 5), (2, 5), (1000, 0), (4097, 300)] {
            let name = format!("f32 {count} in {len}, {}", side(right));
            let case = case(name, right, I32, move |f| {
                Ok((sorted(f, F32, len)?, f.random(F32, &[count])?))
            });
            cases.push(if len == 4097 { case.quick() } else { case });
        }
        cases.push(case(format!("f32 NaN, infinities, zeros, {}", side(right)), right, U32, |f| {
            let list =
                [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 0.0, 2.0, f64::INFINITY, f64::NAN, f64::NAN];
            let values = [f64::NAN, f64::INFINITY, 0.0, -0.0, f64::NEG_INFINITY, -2.0, 2.0, 3.0];
            Ok((f.values(F32, &[9], &list)?, f.values(F32, &[8], &values)?))
        }));
        cases.push(case(format!("f32 strided, {}", side(right)), right, U32, |f| {
            let list = f.operand(F32, &[600], |_, i| -(i as f64))?.step(0, 599, 300, -2)?;
            let values = f.operand(F32, &[20, 9], |f, _| f.normal() * 300.0)?.transpose()?;
            Ok((list, values))
        }));
        cases.push(case(format!("f32, i64 places, {}", side(right)), right, I64, |f| {
            Ok((sorted(f, F32, 100)?, f.random(F32, &[40])?))
        }));
        cases.push(case(format!("i32 of many bits, {}", side(right)), right, U32, |f| {
            let list = f.operand(I32, &[200], |_, i| i as f64 * 2e7 - 2e9)?;
            Ok((list, f.operand(I32, &[50], |f, _| (f.uniform() * 4e9 - 2e9).floor())?))
        }));
    }
    cases
}

fn side(right: bool) -> &'static str {
    if right { "right" } else { "left" }
}

/// A sorted list with equal elements.
fn sorted(f: &mut Fixture<'_>, dtype: DType, len: usize) -> Result<View> {
    let step = if dtype == Bool { len.div_ceil(2).max(1) } else { 3 };
    f.operand(dtype, &[len], |_, i| {
        let x = (i / step) as f64;
        if dtype.is_float() { (x - len as f64 / 6.0) / 16.0 } else { x }
    })
}

fn case(
    name: impl Into<String>,
    right: bool,
    index: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("search", name, Tolerance::EXACT, move |f| {
        let (sorted, values) = make(f)?;
        let out = f.output(index, values.shape())?;
        Ok(Search { sorted, values, right, out })
    })
}
