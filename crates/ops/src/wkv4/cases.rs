//! Conformance cases.

use super::Wkv4;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![plain(F32, [2, 7, 33]).quick()];
    for dims in [
        [1, 1, 64],
        [3, 1, 300],
        [1, 33, 64],
        [2, 3, 256],
        [2, 2, 1],
        [2, 0, 8],
        [0, 3, 8],
        [1, 3, 0],
    ] {
        cases.push(plain(F32, dims));
    }
    for dtype in [F16, BF16] {
        cases.push(plain(dtype, [2, 7, 33]));
        cases.push(plain(dtype, [1, 2, 257]));
    }
    cases.push(case("f32 a new sequence", F32, |f| {
        let state = f.operand(F32, &[2, 3, 20], |_, i| if i % 60 < 40 { 0.0 } else { -1e30 })?;
        Ok(Wkv4 { state, ..op(f, F32, [2, 3, 20])? })
    }));
    cases.push(case("f32 large exponents", F32, |f| {
        let k = f.operand(F32, &[1, 9, 40], |f, _| (200.0 * f.normal()).round())?;
        let u = f.operand(F32, &[40], |f, _| (100.0 * f.normal()).round())?;
        Ok(Wkv4 { k, u, ..op(f, F32, [1, 9, 40])? })
    }));
    cases.push(case("f32 all fades, and nothing does", F32, |f| {
        let w = f.operand(F32, &[16], |_, i| if i < 8 { -1000.0 } else { 0.0 })?;
        Ok(Wkv4 { w, ..op(f, F32, [1, 5, 16])? })
    }));
    cases.push(case("f32 of f16 keys, channels before tokens in memory", F32, |f| {
        let k = f.random(F16, &[2, 30, 6])?.permute(&[0, 2, 1])?;
        let state = f.operand(F32, &[2, 30, 3], |f, i| state_value(f, i % 3))?;
        let state = state.permute(&[0, 2, 1])?;
        Ok(Wkv4 { k, state, ..op(f, F32, [2, 6, 30])? })
    }));
    cases.push(case("f32 NaN stays in its channel", F32, |f| {
        let k = f.operand(F32, &[1, 4, 8], |f, i| if i == 10 { f64::NAN } else { f.normal() })?;
        Ok(Wkv4 { k, ..op(f, F32, [1, 4, 8])? })
    }));
    cases
}

fn plain(dtype: DType, dims: [usize; 3]) -> Case {
    case(format!("{dtype} {dims:?}"), dtype, move |f| op(f, dtype, dims))
}

fn op(f: &mut Fixture<'_>, dtype: DType, dims: [usize; 3]) -> Result<Wkv4> {
    let [sequences, _, channels] = dims;
    Ok(Wkv4 {
        k: f.random(dtype, &dims)?,
        v: f.random(dtype, &dims)?,
        w: f.operand(dtype, &[channels], |f, _| -f.normal().exp())?,
        u: f.random(dtype, &[channels])?,
        state: f
            .operand(F32, &[sequences, 3, channels], |f, i| state_value(f, i / channels % 3))?,
        out: f.output(dtype, &dims)?,
    })
}

/// A number of a row of the state: the second is a sum of exponentials.
fn state_value(f: &mut Fixture<'_>, row: usize) -> f64 {
    let value = f.normal();
    if row == 1 { value.abs() + 0.1 } else { value }
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<Wkv4> + Send + Sync + 'static,
) -> Case {
    // Each token adds errors of two exponentials to the state.
    let own = Tolerance::of(dtype);
    let bound =
        Tolerance { abs: own.abs.max(1e-5), rel: own.rel.max(1e-5), nmse: own.nmse.max(1e-11) };
    Case::new("wkv4", name, bound, make)
}
