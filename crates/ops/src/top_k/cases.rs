//! Conformance cases.

use super::TopK;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in [F32, F16, BF16] {
        for (dims, k) in [
            (&[1][..], 1),
            (&[5, 33], 1),
            (&[5, 33], 0),
            (&[0, 33], 4),
            (&[2, 3, 257], 40),
            (&[4, 64], 64),
            (&[2, 1000], 300),
            (&[300, 7], 2),
        ] {
            let name = format!("{dtype} {dims:?}, {k}");
            let case = case(name, k, move |f| f.random(dtype, dims));
            cases.push(if k == 40 { case.quick() } else { case });
        }
    }
    cases.push(case("f32 a vocabulary", 40, |f| f.random(F32, &[2, 49_152])));
    cases.push(case("f32 a vocabulary, argmax", 1, |f| f.random(F32, &[1, 151_936])));
    cases.push(case("f32 ascending", 5, |f| f.operand(F32, &[2, 500], |_, i| i as f64)));
    cases.push(case("f32 all equal", 70, |f| f.operand(F32, &[2, 500], |_, _| -1.0)));
    cases.push(case("f32 all -inf", 3, |f| f.operand(F32, &[1, 90], |_, _| f64::NEG_INFINITY)));
    cases.push(case("f32 transposed", 9, |f| f.random(F32, &[90, 4])?.transpose()));
    cases.push(case("f32 backwards", 300, |f| f.random(F32, &[3, 600])?.step(1, 599, 600, -1)));
    for k in [1, 8, 300] {
        cases.push(case(format!("f32 NaN, inf, zeros, ties, {k}"), k, |f| special(f, F32)));
    }
    cases.push(case("bf16 NaN, inf, zeros, ties", 90, |f| special(f, BF16)));
    cases.push(Case::new("top_k", "f32 strided outputs", Tolerance::EXACT, |f| {
        Ok(TopK {
            x: f.random(F32, &[6, 50])?,
            values: f.output(F32, &[6, 20])?.step(1, 1, 5, 3)?,
            indices: f.output(U32, &[5, 6])?.transpose()?,
        })
    }));
    cases
}

fn special(f: &mut Fixture<'_>, dtype: DType) -> Result<View> {
    let some =
        [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -f64::NAN, -1e-40, 1e-40];
    f.operand(dtype, &[2, 350], |f, i| match i {
        350.. => (f.normal() * 3.0).round(),
        _ => some[i * 7 % 9],
    })
}

fn case(
    name: impl Into<String>,
    k: usize,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + 'static,
) -> Case {
    Case::new("top_k", name, Tolerance::EXACT, move |f| {
        let x = make(f)?;
        let mut dims = x.shape().to_vec();
        if let Some(last) = dims.last_mut() {
            *last = k;
        }
        Ok(TopK { values: f.output(x.dtype(), &dims)?, indices: f.output(U32, &dims)?, x })
    })
}
