//! Conformance cases.

use super::Concat;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, F32, Q8_0},
    Result, View,
};

const MANY: [&[usize]; 70] = [&[1, 1]; 70];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN {
        cases.push(plain(dtype, &[&[3, 5], &[1, 5], &[0, 5], &[31, 5]], 0));
        let case = plain(dtype, &[&[3, 1], &[3, 65], &[3, 0]], 1);
        cases.push(if dtype.block_bytes() < 8 { case.quick() } else { case });
    }
    cases.push(plain(F32, &[&[2, 3, 4], &[2, 7, 4]], 1));
    cases.push(plain(F32, &[&[9]], 0));
    cases.push(plain(F32, &MANY, 1));
    cases.push(plain(Q8_0, &[&[3, 64], &[2, 64]], 0));
    cases.push(plain(Q8_0, &[&[3, 64], &[3, 32], &[3, 96]], 1));
    for dtype in DType::BLOCKS {
        cases.push(plain(dtype, &[&[2, 256], &[2, 512]], 1));
    }
    cases.push(case("f32 of none", |f| Ok((vec![], 1, f.output(F32, &[4, 0])?))));
    cases.push(case("f32 the same array twice, transposed, into a part", |f| {
        let x = f.random(F32, &[20, 6])?.transpose()?;
        let out = f.output(F32, &[8, 50])?.narrow(0, 1..7)?.narrow(1, 5..45)?;
        Ok((vec![x.clone(), x], 1, out))
    }));
    cases
}

fn plain(dtype: DType, inputs: &'static [&[usize]], axis: usize) -> Case {
    case(format!("{dtype} {inputs:?} along {axis}"), move |f| {
        let mut dims = inputs[0].to_vec();
        dims[axis] = inputs.iter().map(|dims| dims[axis]).sum();
        let views: Result<Vec<View>> = inputs.iter().map(|dims| f.random(dtype, dims)).collect();
        Ok((views?, axis, f.output(dtype, &dims)?))
    })
}

fn case(
    name: impl Into<String>,
    make: impl Fn(&mut Fixture<'_>) -> Result<(Vec<View>, usize, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("concat", name, Tolerance::EXACT, move |f| {
        let (inputs, axis, out) = make(f)?;
        Ok(Concat { inputs, axis, out })
    })
}
