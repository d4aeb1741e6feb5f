//! Conformance cases.

use super::LayerNorm;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dims in [[1, 1], [0, 5], [5, 0], [3, 32], [5, 257], [2, 576], [7, 4096], [130, 63]] {
        for dtype in [F32, F16, BF16] {
            cases.push(plain(dtype, dtype, dims));
        }
    }
    cases.push(plain(F32, F16, [4, 100]));
    cases.push(plain(F16, F32, [4, 100]).quick());
    cases.push(case("f32 without weight and bias", |f| {
        Ok((f.random(F32, &[6, 65])?, None, None, f.output(F32, &[6, 65])?))
    }));
    cases.push(case("f32 without bias, in place", |f| {
        let x = f.random(F32, &[6, 65])?;
        Ok((x.clone(), Some(f.random(F16, &[65])?), None, x))
    }));
    cases.push(case("bf16 in place, a transposed part", |f| {
        let x = f.random(BF16, &[70, 9])?.transpose()?.narrow(1, 3..69)?;
        Ok((x.clone(), None, Some(f.random(F32, &[66])?), x))
    }));
    cases.push(case("f32 far from zero", |f| {
        let x = f.operand(F32, &[3, 500], |f, i| 4096.0 * (i / 500) as f64 + f.normal())?;
        Ok((x, Some(f.random(F32, &[500])?), None, f.output(F32, &[3, 500])?))
    }));
    cases.push(case("f32 equal numbers, NaN, inf, large", |f| {
        let special = [7.0, f64::NAN, f64::INFINITY, 1e15];
        let x = f.operand(F32, &[4, 40], |f, i| match (i / 40, i % 40) {
            (0, _) => 7.0,
            (row, 3) => special[row],
            _ => f.normal(),
        })?;
        Ok((x, Some(f.random(F32, &[40])?), None, f.output(F32, &[4, 40])?))
    }));
    cases
}

fn plain(x: DType, out: DType, dims: [usize; 2]) -> Case {
    let name = format!("{x} → {out} {dims:?}");
    let op = move |f: &mut Fixture<'_>| {
        let (weight, bias) = (f.random(x, &dims[1..])?, f.random(F32, &dims[1..])?);
        Ok((f.random(x, &dims)?, Some(weight), Some(bias), f.output(out, &dims)?))
    };
    toleranced(name, Tolerance::of(out), op)
}

type Operands = (View, Option<View>, Option<View>, View);

fn case(
    name: &str,
    make: impl Fn(&mut Fixture<'_>) -> Result<Operands> + Send + Sync + 'static,
) -> Case {
    let bf16 = name.starts_with("bf16");
    toleranced(name.to_owned(), Tolerance::of(if bf16 { BF16 } else { F32 }), make)
}

fn toleranced(
    name: String,
    tolerance: Tolerance,
    make: impl Fn(&mut Fixture<'_>) -> Result<Operands> + Send + Sync + 'static,
) -> Case {
    Case::new("layer_norm", name, tolerance, move |f| {
        let (x, weight, bias, out) = make(f)?;
        Ok(LayerNorm { x, weight, bias, epsilon: 1e-5, out })
    })
}
