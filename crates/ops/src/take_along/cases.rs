//! Conformance cases.

use super::TakeAlong;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, F32, I32, I64, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN {
        for (dims, axis, count) in [(&[5, 33][..], 1, 40), (&[4, 9, 5], 1, 3), (&[7, 6], 0, 11)] {
            for index in [I32, U32, I64] {
                let name = format!("{dtype} {dims:?}, {count} along {axis} by {index}");
                let case = case(name, axis, move |f| {
                    let x = f.random(dtype, dims)?;
                    Ok((x, indices(f, index, dims, axis, count)?))
                });
                cases.push(if dtype == F32 && axis == 0 { case.quick() } else { case });
            }
        }
    }
    for (dims, axis, count) in [(&[0, 4][..], 1, 3), (&[3, 0], 1, 2), (&[3, 4], 1, 0), (&[1], 0, 5)]
    {
        let name = format!("f32 {dims:?}, {count} along {axis}");
        cases.push(case(name, axis, move |f| {
            let x = f.random(F32, dims)?;
            Ok((x, indices(f, I32, dims, axis, count)?))
        }));
    }
    cases.push(case("i32 of many bits", 0, |f| {
        let x = f.operand(I32, &[40], |f, _| (f.uniform() * 4e9 - 2e9).floor())?;
        Ok((x, indices(f, I32, &[40], 0, 80)?))
    }));
    cases.push(case("f32 transposed", 1, |f| {
        let x = f.random(F32, &[20, 8])?.transpose()?;
        Ok((x, indices(f, I32, &[30, 8], 0, 30)?.transpose()?))
    }));
    cases
}

/// Inside and outside.
fn indices(
    f: &mut Fixture<'_>,
    dtype: DType,
    dims: &[usize],
    axis: usize,
    count: usize,
) -> Result<View> {
    let (mut dims, len) = (dims.to_vec(), dims[axis] as f64);
    dims[axis] = count;
    f.operand(dtype, &dims, |f, i| match (i % 11, dtype) {
        (7, I32 | I64) => -len - 1.0,
        (7, _) => 4_294_967_295.0,
        (8, _) => len,
        (9, I32 | I64) => -1.0,
        _ => (f.uniform() * len).floor(),
    })
}

fn case(
    name: impl Into<String>,
    axis: usize,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("take_along", name, Tolerance::EXACT, move |f| {
        let (x, indices) = make(f)?;
        let out = f.output(x.dtype(), indices.shape())?;
        Ok(TakeAlong { x, indices, axis, out })
    })
}
