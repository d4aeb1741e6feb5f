//! Conformance cases.

use super::ShortConv;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in [F32, F16, BF16] {
        for (length, dims) in
            [(3, [1, 1, 64]), (4, [3, 1, 257]), (3, [2, 7, 33]), (16, [1, 33, 64]), (5, [5, 2, 1])]
        {
            let case = plain(dtype, length, dims);
            cases.push(if dims[1] == 7 { case.quick() } else { case });
        }
    }
    cases.push(plain(F32, 2, [2, 3, 40]));
    for dims in [[2, 0, 8], [0, 2, 8], [2, 3, 0]] {
        cases.push(plain(F32, 3, dims));
    }
    cases.push(case("f32 of f16 with weights of bf16", F32, |f| {
        let (x, weight) = (f.random(F16, &[2, 3, 20])?, f.random(BF16, &[20, 3])?);
        Ok(ShortConv { x, weight, ..op(f, F32, 3, [2, 3, 20])? })
    }));
    cases.push(case("f32 channels before tokens in memory", F32, |f| {
        let x = f.random(F32, &[2, 30, 6])?.permute(&[0, 2, 1])?;
        let weight = f.random(F32, &[3, 30])?.permute(&[1, 0])?;
        let state = f.random(F32, &[30, 2, 2])?.permute(&[1, 2, 0])?;
        Ok(ShortConv { x, weight, state, ..op(f, F32, 3, [2, 6, 30])? })
    }));
    cases.push(case("f32 NaN and inf stay in their channels", F32, |f| {
        let x = f.operand(F32, &[1, 4, 8], |f, i| match i {
            9 => f64::NAN,
            26 => f64::INFINITY,
            _ => f.normal(),
        })?;
        Ok(ShortConv { x, ..op(f, F32, 3, [1, 4, 8])? })
    }));
    cases
}

fn plain(dtype: DType, length: usize, dims: [usize; 3]) -> Case {
    let name = format!("{dtype} over {length} of {dims:?}");
    case(name, dtype, move |f| op(f, dtype, length, dims))
}

fn op(f: &mut Fixture<'_>, dtype: DType, length: usize, dims: [usize; 3]) -> Result<ShortConv> {
    let [sequences, _, channels] = dims;
    Ok(ShortConv {
        x: f.random(dtype, &dims)?,
        weight: f.random(dtype, &[channels, length])?,
        state: f.random(F32, &[sequences, length - 1, channels])?,
        out: f.output(dtype, &dims)?,
    })
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<ShortConv> + Send + Sync + 'static,
) -> Case {
    Case::new("short_conv", name, Tolerance::of(dtype), make)
}
