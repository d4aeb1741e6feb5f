//! Conformance cases.

use super::Wkv7;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result, Shape, View,
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
    cases.push(case("f32 with f16 operands", F32, |f| {
        let dims = [1, 4, 2, 64];
        let mut op = op(f, F32, dims)?;
        (op.r, op.k) = (f.random(F16, &dims)?, f.random(BF16, &dims)?);
        (op.decay, op.out) = (f.operand(F16, &dims, |f, _| f.uniform())?, f.output(F32, &dims)?);
        Ok(op)
    }));
    cases.push(case("f32 decays of 0 and 1", F32, |f| {
        let dims = [1, 9, 2, 64];
        let decay = f.operand(F32, &dims, |f, _| f.uniform().round())?;
        Ok(Wkv7 { decay, ..op(f, F32, dims)? })
    }));
    cases.push(case("f32 one decay for all", F32, |f| {
        let dims = [2, 4, 2, 20];
        let decay = f.values(F32, &[1], &[0.75])?.broadcast_to(Shape::new(&dims)?)?;
        Ok(Wkv7 { decay, ..op(f, F32, dims)? })
    }));
    // The state as other programs keep it.
    cases.push(case("f32 heads as parts of one array, keys before values in memory", F32, |f| {
        let dims = [2, 4, 2, 64];
        let all = f.random(F32, &[2, 4, 6, 64])?;
        let part = |n: usize| all.narrow(2, 2 * n..2 * n + 2);
        let (r, k, v) = (part(0)?, part(1)?, part(2)?);
        let state = f.random(F32, &[2, 2, 64, 64])?.permute(&[0, 1, 3, 2])?;
        Ok(Wkv7 { r, k, v, state, ..op(f, F32, dims)? })
    }));
    cases.push(case("f32 NaN stays in its column", F32, |f| {
        let dims = [1, 3, 1, 64];
        let v = f.operand(F32, &dims, |f, i| if i == 70 { f64::NAN } else { f.normal() })?;
        Ok(Wkv7 { v, ..op(f, F32, dims)? })
    }));
    cases
}

fn plain(dtype: DType, dims: [usize; 4]) -> Case {
    case(format!("{dtype} {dims:?}"), dtype, move |f| op(f, dtype, dims))
}

fn op(f: &mut Fixture<'_>, dtype: DType, dims: [usize; 4]) -> Result<Wkv7> {
    let [sequences, _, heads, size] = dims;
    let random = |f: &mut Fixture<'_>| -> Result<View> { f.random(dtype, &dims) };
    // About as long as those of a model: longer ones make the state grow without bound.
    let short = |f: &mut Fixture<'_>| -> Result<View> {
        f.operand(dtype, &dims, |f, _| f.normal() / (size as f64).sqrt())
    };
    Ok(Wkv7 {
        r: random(f)?,
        decay: f.operand(dtype, &dims, |f, _| f.uniform())?,
        k: random(f)?,
        v: random(f)?,
        a: short(f)?,
        b: short(f)?,
        state: f.random(F32, &[sequences, heads, size, size])?,
        out: f.output(dtype, &dims)?,
    })
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<Wkv7> + Send + Sync + 'static,
) -> Case {
    // Sums of up to 256 terms, of both signs: their errors are those of the largest partial sum.
    let own = Tolerance::of(dtype);
    let bound = Tolerance { abs: own.abs.max(1e-4), ..own };
    Case::new("wkv7", name, bound, make)
}
