//! Conformance cases.

use super::AddLayerNorm;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dims in
        [[1, 1], [0, 5], [5, 0], [3, 32], [5, 257], [1, 576], [70, 576], [2, 4096], [2, 5000]]
    {
        for dtype in [F32, F16, BF16] {
            cases.push(plain(dtype, dtype, dims));
        }
    }
    cases.push(plain(F32, F16, [4, 100]).quick());
    cases.push(case("f32 without bias, far from zero", F32, |f| {
        // Sums that are exact: what is left to round is the norm's.
        let whole = |f: &mut Fixture<'_>| (64.0 * f.normal()).round() / 64.0;
        let x = f.operand(F32, &[3, 500], |f, i| 4096.0 * (i / 500) as f64 + whole(f))?;
        let sum = f.output(F32, &[3, 500])?;
        let y = f.operand(F32, &[3, 500], |f, _| whole(f))?;
        Ok(AddLayerNorm { y, bias: None, ..op(f, [x, sum], [F32, F32], &[3, 500])? })
    }));
    cases.push(case("f32, the sum in place of x", F32, |f| {
        let x = f.random(F32, &[5, 65])?;
        op(f, [x.clone(), x], [F32, F32], &[5, 65])
    }));
    cases.push(case("f32, the sum in place of y and the norm in place of x", F32, |f| {
        let (x, y) = (f.random(F32, &[5, 65])?, f.random(F32, &[5, 65])?);
        let mut op = op(f, [x.clone(), y.clone()], [F32, F32], &[5, 65])?;
        (op.y, op.sum, op.out) = (y.clone(), y, x);
        Ok(op)
    }));
    cases.push(case("f32 strided, NaN, inf, zeros", F32, |f| {
        let x = f.operand(F32, &[40, 4], |f, i| match (i % 4, i / 4) {
            (0, _) => 0.0,
            (1, 3) => f64::NAN,
            (2, 3) => f64::INFINITY,
            _ => f.normal(),
        })?;
        let (x, sum) = (x.transpose()?, f.output(F32, &[4, 90])?.step(1, 5, 40, 2)?);
        let mut op = op(f, [x, sum], [F32, F32], &[4, 40])?;
        op.y = f.values(F32, &[1, 1], &[0.0])?.broadcast_to(*op.x.shape())?;
        Ok(op)
    }));
    cases
}

fn plain(x: DType, out: DType, dims: [usize; 2]) -> Case {
    case(format!("{x} → {out} {dims:?}"), out, move |f| {
        let (x, sum) = (f.random(x, &dims)?, f.output(out, &dims)?);
        op(f, [x, sum], [x_dtype(out), out], &dims)
    })
}

/// The other input of a case with outputs of `out`.
fn x_dtype(out: DType) -> DType {
    if out == BF16 { F16 } else { F32 }
}

/// An op on `[x, sum]` with `y` and `out` of these dtypes.
fn op(
    f: &mut Fixture<'_>,
    [x, sum]: [bessemer_core::View; 2],
    [y, out]: [DType; 2],
    dims: &[usize],
) -> Result<AddLayerNorm> {
    let (y, weight) = (f.random(y, dims)?, f.random(F32, &dims[1..])?);
    let bias = Some(f.random(if out == F32 { F16 } else { F32 }, &dims[1..])?);
    Ok(AddLayerNorm { x, y, weight, bias, epsilon: 1e-5, sum, out: f.output(out, dims)? })
}

fn case(
    name: impl Into<String>,
    out: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<AddLayerNorm> + Send + Sync + 'static,
) -> Case {
    Case::new("add_layer_norm", name, Tolerance::of(out), make)
}
