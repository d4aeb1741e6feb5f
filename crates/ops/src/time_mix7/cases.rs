//! Conformance cases.

use super::{PARTS, TimeMix7, WEIGHTS};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![plain(F32, [2, 7, 3, 64]).quick()];
    for dims in [
        [1, 1, 5, 64],
        [3, 1, 2, 64],
        [1, 33, 1, 64],
        [2, 2, 2, 13],
        [1, 7, 1, 1],
        [1, 3, 2, 32],
        [1, 2, 1, 100],
        [1, 2, 1, 256],
        [2, 0, 2, 8],
        [0, 3, 2, 8],
        [1, 3, 0, 8],
    ] {
        cases.push(plain(F32, dims));
    }
    for dtype in [F16, BF16] {
        cases.push(plain(dtype, [1, 7, 2, 64]));
        cases.push(plain(dtype, [2, 3, 1, 13]));
    }
    cases.push(case("f32 the first layer", F32, |f| {
        Ok(TimeMix7 {
            first: f.output(F32, &[2, 3, 2, 64])?,
            is_first: true,
            ..op(f, F32, [2, 3, 2, 64])?
        })
    }));
    cases.push(case("f32 without a gate", F32, |f| {
        Ok(TimeMix7 { gate: false, ..op(f, F32, [1, 4, 2, 64])? })
    }));
    cases.push(case("f32 without a norm", F32, |f| {
        Ok(TimeMix7 { norm: None, ..op(f, F32, [1, 4, 2, 32])? })
    }));
    cases.push(case("f32 keys of zeros", F32, |f| {
        let x = f.operand(F32, &[PARTS, 1, 3, 2, 64], |f, i| match i / (3 * 2 * 64) {
            2 => 0.0,
            _ => f.normal(),
        })?;
        Ok(TimeMix7 { x, ..op(f, F32, [1, 3, 2, 64])? })
    }));
    // As a model has them: parts of one array, and the state as other programs keep it.
    cases.push(case("f32 parts side by side, keys before values in memory", F32, |f| {
        let x = f.random(F32, &[2, 4, PARTS, 2, 64])?.permute(&[2, 0, 1, 3, 4])?;
        let state = f.random(F32, &[2, 2, 64, 64])?.permute(&[0, 1, 3, 2])?;
        Ok(TimeMix7 { x, state, ..op(f, F32, [2, 4, 2, 64])? })
    }));
    cases.push(case("f32 of x in f16", F32, |f| {
        Ok(TimeMix7 { x: f.random(F16, &[PARTS, 1, 4, 2, 64])?, ..op(f, F32, [1, 4, 2, 64])? })
    }));
    cases
}

fn plain(dtype: DType, dims: [usize; 4]) -> Case {
    case(format!("{dtype} {dims:?}"), dtype, move |f| op(f, dtype, dims))
}

fn op(f: &mut Fixture<'_>, dtype: DType, dims: [usize; 4]) -> Result<TimeMix7> {
    let [sequences, tokens, heads, size] = dims;
    Ok(TimeMix7 {
        x: f.random(dtype, &[PARTS, sequences, tokens, heads, size])?,
        weights: f.random(F32, &[WEIGHTS, heads, size])?,
        first: f.random(F32, &dims)?,
        is_first: false,
        norm: Some(64e-5),
        gate: true,
        state: f.random(F32, &[sequences, heads, size, size])?,
        out: f.output(dtype, &dims)?,
    })
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<TimeMix7> + Send + Sync + 'static,
) -> Case {
    // Sums of up to 256 terms, of both signs: their errors are those of the largest partial sum.
    let own = Tolerance::of(dtype);
    let bound = Tolerance { abs: own.abs.max(1e-3), ..own };
    Case::new("time_mix7", name, bound, make)
}
