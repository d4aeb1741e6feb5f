//! Conformance cases.

use super::Scatter;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, I32, I64, Q4_0, Q8_0, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN {
        cases.push(plain(dtype, dtype, &[9, 37], 0));
        cases.push(plain(dtype, dtype, &[3, 37], 1));
    }
    for (from, to) in [(F32, F16), (F32, BF16), (F16, F32), (F32, Q8_0), (F16, Q8_0), (BF16, Q4_0)]
    {
        cases.push(plain(from, to, &[70, 64], 0));
        cases.push(cache(from, to, [3, 40, 64], 5).quick());
        cases.push(cache(from, to, [1, 7, 96], 1));
        cases.push(cache(from, to, [9, 300, 32], 33));
    }
    for dtype in DType::BLOCKS {
        cases.push(plain(dtype, dtype, &[4, 5, 256], 1));
    }
    cases.push(case("f16 at i64", |f| {
        let far = [2, 0, u64::MAX, 1 << 32, 7, (-8i64) as u64];
        let indices = f.integers(I64, &[6], |_, i| far[i])?;
        Ok((f.random(F16, &[6, 33])?, indices, 0, f.output(F16, &[7, 33])?))
    }));
    cases.push(plain(F32, F32, &[5, 6, 7, 8], 2));
    cases.push(plain(F32, F32, &[5, 6, 7, 8], 0));
    cases.push(plain(F32, F32, &[5, 0], 0));
    cases.push(case("f32 the same index many times", |f| {
        let indices = f.operand(U32, &[64], |_, i| (i % 5) as f64)?;
        Ok((f.random(F32, &[64, 129])?, indices, 0, f.output(F32, &[6, 129])?))
    }));
    cases.push(case("f32 of no index", |f| {
        Ok((f.random(F32, &[0, 9])?, f.random(I32, &[0])?, 0, f.output(F32, &[6, 9])?))
    }));
    cases
}

/// At the last, at both ends of what is allowed, twice at 0, and outside.
fn plain(from: DType, to: DType, dims: &'static [usize], axis: usize) -> Case {
    case(format!("{from} → {to} {dims:?} along {axis}"), move |f| {
        let len = dims[axis] as f64;
        let mut part = dims.to_vec();
        part[axis] = 6;
        let x = f.random(from, &part)?;
        let indices = f.values(I32, &[6], &[len - 1.0, 0.0, 1.0, -len, len, -len - 1.0])?;
        Ok((x, indices, axis, f.output(to, dims)?))
    })
}

/// New keys of `rows` tokens into a cache of [heads, tokens, head size].
fn cache(from: DType, to: DType, dims: [usize; 3], rows: usize) -> Case {
    case(format!("{from} → {to} cache {dims:?}, {rows} tokens"), move |f| {
        let [heads, tokens, size] = dims;
        let x = f.random(from, &[rows, heads, size])?.permute(&[1, 0, 2])?;
        let indices = f.operand(I32, &[rows], |_, i| (tokens - rows + i) as f64)?;
        Ok((x, indices, 1, f.output(to, &dims)?))
    })
}

fn case(
    name: impl Into<String>,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, View, usize, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("scatter", name, Tolerance::EXACT, move |f| {
        let (x, indices, axis, table) = make(f)?;
        Ok(Scatter { x, indices, axis, table })
    })
}
