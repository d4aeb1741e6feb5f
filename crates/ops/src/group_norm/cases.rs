//! Conformance cases.

use super::GroupNorm;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (dims, groups) in [
        (&[2, 8, 5, 7][..], 4),
        (&[3, 6], 2),
        (&[1, 1, 1], 1),
        (&[2, 32, 64], 32),
        (&[1, 4, 3, 3, 257], 1),
        (&[0, 4, 3], 2),
        (&[2, 4, 0], 2),
    ] {
        for dtype in [F32, F16, BF16] {
            let case = plain(dtype, dims, groups);
            cases.push(if groups == 4 { case.quick() } else { case });
        }
    }
    cases.push(case("f32 in place, without weight and bias", F32, 3, |f| {
        let x = f.random(F32, &[2, 6, 33])?;
        Ok((x.clone(), None, None, x))
    }));
    cases.push(case("f32 channels last in memory, far from zero", F32, 2, |f| {
        let x = f.operand(F32, &[2, 9, 4], |f, _| 1000.0 + f.normal())?.permute(&[0, 2, 1])?;
        Ok((x, None, Some(f.random(F32, &[4])?), f.output(F32, &[2, 4, 9])?))
    }));
    cases.push(case("f32 NaN and inf stay in their groups", F32, 4, |f| {
        let x = f.operand(F32, &[1, 4, 10], |f, i| match i {
            3 => f64::NAN,
            13 => f64::INFINITY,
            20..30 => 5.0,
            _ => f.normal(),
        })?;
        Ok((x, Some(f.random(F32, &[4])?), None, f.output(F32, &[1, 4, 10])?))
    }));
    cases
}

fn plain(dtype: DType, dims: &'static [usize], groups: usize) -> Case {
    case(format!("{dtype} {dims:?} in {groups}"), dtype, groups, move |f| {
        let (weight, bias) = (f.random(F32, &dims[1..2])?, f.random(dtype, &dims[1..2])?);
        Ok((f.random(dtype, dims)?, Some(weight), Some(bias), f.output(dtype, dims)?))
    })
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    groups: usize,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, Option<View>, Option<View>, View)>
    + Send
    + Sync
    + 'static,
) -> Case {
    Case::new("group_norm", name, Tolerance::of(dtype), move |f| {
        let (x, weight, bias, out) = make(f)?;
        Ok(GroupNorm { x, groups, weight, bias, epsilon: 1e-5, out })
    })
}
