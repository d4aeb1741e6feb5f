//! Conformance cases.

use super::Variance;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, F32, F64},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in [F32, F64] {
        for (dims, axes) in [
            (&[1][..], &[0][..]),
            (&[1000], &[0]),
            (&[7, 33], &[1]),
            (&[7, 33], &[0]),
            (&[7, 33], &[0, 1]),
            (&[3, 40, 50], &[1]),
            (&[3, 40, 50], &[0, 2]),
            (&[30, 200], &[0]),
            (&[5, 6], &[]),
            (&[0, 3], &[1]),
            (&[3, 0], &[1]),
            (&[], &[]),
        ] {
            for correction in [0.0, 1.0] {
                let name = format!("{dtype} {dims:?} along {axes:?}, less {correction}");
                let case = case(name, dtype, axes, correction, move |f| f.random(dtype, dims));
                cases.push(if dims.len() == 3 && dtype == F32 { case.quick() } else { case });
            }
        }
    }
    cases.push(case("f32 of many", F32, &[0], 1.0, |f| f.random(F32, &[100_000])));
    cases.push(case("f32 far from 0", F32, &[0], 0.0, |f| {
        f.operand(F32, &[3000], |f, _| 10_000.0 + f.normal())
    }));
    cases.push(case("f32, the first far from the others", F32, &[0], 0.0, |f| {
        f.operand(F32, &[3000], |f, i| if i == 0 { 1e6 } else { f.normal() })
    }));
    cases.push(case("f32 infinite and NaN", F32, &[1], 0.0, |f| {
        f.operand(F32, &[3, 50], |f, i| match i {
            20 => f64::INFINITY,
            70 => f64::NAN,
            _ => f.normal(),
        })
    }));
    cases.push(case("f32 transposed", F32, &[0], 0.5, |f| f.random(F32, &[40, 300])?.transpose()));
    cases.push(case("f32 steps", F32, &[0], 0.0, |f| f.random(F32, &[600, 2])?.step(1, 0, 1, 1)));
    cases
}

fn case(
    name: impl Into<String>,
    dtype: DType,
    axes: &'static [usize],
    correction: f64,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + 'static,
) -> Case {
    Case::new("variance", name, Tolerance::of(dtype).widen(4.0), move |f| {
        let x = make(f)?;
        let mut dims = x.shape().to_vec();
        axes.iter().for_each(|&axis| dims[axis] = 1);
        dims.insert(0, 2);
        Ok(Variance { axes: axes.to_vec(), correction, out: f.output(x.dtype(), &dims)?, x })
    })
}
