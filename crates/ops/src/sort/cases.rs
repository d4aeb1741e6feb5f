//! Conformance cases.

use super::{Sort, Sorted};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, F64, I32, I64, U32, U64},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN.into_iter().filter(|dtype| !dtype.is_complex()) {
        for (dims, descending) in
            [(&[1][..], false), (&[5, 33], true), (&[2, 3, 257], false), (&[3, 1500], true)]
        {
            let name = format!("{dtype} {dims:?}{}", order(descending));
            cases.extend(both(name, descending, move |f| f.random(dtype, dims)));
        }
    }
    for dims in
        [&[0, 33][..], &[4, 0], &[300, 7], &[40, 16], &[9, 17], &[2, 256], &[2, 2048], &[1, 5000]]
    {
        cases.extend(both(format!("f32 {dims:?}"), false, move |f| f.random(F32, dims)));
    }
    let mut quick = both("i32 [3, 700]", false, |f| {
        f.operand(I32, &[3, 700], |f, _| (f.uniform() * 4e9 - 2e9).floor())
    });
    cases.extend(quick.drain(..).map(Case::quick));
    cases.extend(both("u32 of all bits", true, |f| {
        f.operand(U32, &[600], |f, _| (f.uniform() * 4_294_967_295.0).floor())
    }));
    for dtype in [I64, U64] {
        cases.extend(both(format!("{dtype} of all bits"), false, move |f| {
            f.integers(dtype, &[3000], |f, i| (f.uniform().to_bits() << 5) | (i as u64 % 7))
        }));
    }
    cases.extend(both("f32 [2, 40000]", false, |f| f.random(F32, &[2, 40_000])));
    cases.extend(both("f32 ascending", false, |f| f.operand(F32, &[3000], |_, i| i as f64)));
    cases.extend(both("f32 descending", false, |f| f.operand(F32, &[3000], |_, i| -(i as f64))));
    cases.extend(both("f32 all equal", true, |f| f.operand(F32, &[2, 3000], |_, _| -1.0)));
    cases.extend(both("f32 few values", false, |f| {
        f.operand(F32, &[2, 5000], |f, _| (f.uniform() * 3.0).floor())
    }));
    cases.extend(both("f32 transposed", false, |f| f.random(F32, &[900, 4])?.transpose()));
    cases.extend(both("f32 backwards", true, |f| f.random(F32, &[3, 600])?.step(1, 599, 600, -1)));
    for (descending, dtype) in
        [(false, F32), (true, F32), (true, BF16), (false, F16), (false, F64), (true, F64)]
    {
        let name = format!("{dtype} NaN, inf, zeros, ties{}", order(descending));
        cases.extend(both(name, descending, move |f| special(f, dtype)));
    }
    cases.push(Case::new("sort", "f32 strided output", Tolerance::EXACT, |f| {
        let x = f.random(F32, &[6, 300])?;
        Ok(Sort {
            x,
            descending: false,
            out: Sorted::Elements(f.output(F32, &[300, 6])?.transpose()?),
        })
    }));
    cases.push(Case::new("argsort", "i32 indices, strided", Tolerance::EXACT, |f| {
        let x = f.random(F32, &[6, 300])?;
        Ok(Sort {
            x,
            descending: false,
            out: Sorted::Indices(f.output(I32, &[300, 6])?.transpose()?),
        })
    }));
    cases.push(Case::new("argsort", "i64 indices, strided", Tolerance::EXACT, |f| {
        let x = f.random(F32, &[6, 300])?;
        let out = Sorted::Indices(f.output(I64, &[300, 6])?.transpose()?);
        Ok(Sort { x, descending: false, out })
    }));
    for dims in [&[2, 9][..], &[1, 3000]] {
        cases.push(Case::new(
            "argsort",
            format!("f64 {dims:?}, i64 indices"),
            Tolerance::EXACT,
            move |f| {
                let x = f.random(F64, dims)?;
                Ok(Sort { x, descending: true, out: Sorted::Indices(f.output(I64, dims)?) })
            },
        ));
    }
    cases
}

fn order(descending: bool) -> &'static str {
    if descending { ", descending" } else { "" }
}

fn special(f: &mut Fixture<'_>, dtype: DType) -> Result<View> {
    let some = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -f64::NAN, 2.0, -2.0];
    f.operand(dtype, &[2, 350], |f, i| match i {
        350.. => (f.normal() * 3.0).round(),
        _ => some[i * 7 % 9],
    })
}

/// The elements and the indices.
fn both(
    name: impl Into<String>,
    descending: bool,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + Clone + 'static,
) -> Vec<Case> {
    let (name, also) = (name.into(), make.clone());
    let elements = Case::new("sort", name.clone(), Tolerance::EXACT, move |f| {
        let x = make(f)?;
        let out = Sorted::Elements(f.output(x.dtype(), x.shape())?);
        Ok(Sort { x, descending, out })
    });
    let indices = Case::new("argsort", name, Tolerance::EXACT, move |f| {
        let x = also(f)?;
        let out = Sorted::Indices(f.output(U32, x.shape())?);
        Ok(Sort { x, descending, out })
    });
    vec![elements, indices]
}
