//! Conformance cases.

use super::TokenShift;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in [F32, F16, BF16] {
        for (mixes, dims) in
            [(1, [1, 1, 64]), (6, [3, 1, 257]), (5, [2, 7, 33]), (2, [1, 33, 64]), (1, [5, 2, 1])]
        {
            let case = constant(dtype, mixes, dims);
            cases.push(if mixes == 5 { case.quick() } else { case });
        }
    }
    for dims in [[2, 0, 8], [0, 2, 8], [2, 3, 0]] {
        cases.push(constant(F32, 3, dims));
    }
    // As RWKV 6 mixes: first with a constant, then with what depends on the token.
    cases.push(case("f32 the state stays", F32, |f| {
        Ok(TokenShift { update: false, ..op(f, F32, 1, [2, 4, 40])? })
    }));
    for dtype in [F32, F16] {
        cases.push(case(format!("{dtype} mu of each token"), dtype, move |f| {
            let mu = f.random(dtype, &[5, 2, 4, 40])?;
            Ok(TokenShift { mu, ..op(f, dtype, 5, [2, 4, 40])? })
        }));
    }
    cases.push(case("f32 of f16 with mu of bf16, one for all", F32, |f| {
        let (x, mu) = (f.random(F16, &[2, 3, 20])?, f.random(BF16, &[1])?);
        Ok(TokenShift { x, mu, ..op(f, F32, 3, [2, 3, 20])? })
    }));
    cases.push(case("f32 channels before tokens in memory", F32, |f| {
        let x = f.random(F32, &[2, 30, 6])?.permute(&[0, 2, 1])?;
        let state = f.random(F32, &[30, 2])?.permute(&[1, 0])?;
        Ok(TokenShift { x, state, ..op(f, F32, 2, [2, 6, 30])? })
    }));
    cases.push(case("f32 NaN and inf stay in their channels", F32, |f| {
        let x = f.operand(F32, &[1, 4, 8], |f, i| match i {
            9 => f64::NAN,
            26 => f64::INFINITY,
            _ => f.normal(),
        })?;
        Ok(TokenShift { x, ..op(f, F32, 2, [1, 4, 8])? })
    }));
    cases
}

fn constant(dtype: DType, mixes: usize, dims: [usize; 3]) -> Case {
    case(format!("{dtype} {mixes} mixes of {dims:?}"), dtype, move |f| op(f, dtype, mixes, dims))
}

fn op(f: &mut Fixture<'_>, dtype: DType, mixes: usize, dims: [usize; 3]) -> Result<TokenShift> {
    let [sequences, tokens, channels] = dims;
    Ok(TokenShift {
        x: f.random(dtype, &dims)?,
        state: f.random(F32, &[sequences, channels])?,
        mu: f.random(dtype, &[mixes, 1, 1, channels])?,
        update: true,
        out: f.output(dtype, &[mixes, sequences, tokens, channels])?,
    })
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<TokenShift> + Send + Sync + 'static,
) -> Case {
    Case::new("token_shift", name, Tolerance::of(dtype), make)
}
