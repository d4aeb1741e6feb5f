//! Conformance cases.

use super::{Dot, Matmul};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, Bool, F16, F32, I64, U64},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for [m, k, n] in [
        [1, 1, 1],
        [5, 7, 3],
        [16, 16, 16],
        [33, 65, 17],
        [1, 300, 40],
        [40, 300, 1],
        [130, 70, 258],
        [3, 1000, 300],
        [0, 4, 5],
        [4, 0, 5],
        [4, 5, 0],
    ] {
        for dtype in [F32, F16, BF16] {
            cases.push(plain(&[m, k], &[k, n], &[m, n], [dtype; 3]));
        }
    }
    for dtype in DType::PLAIN.into_iter().filter(|dtype| !dtype.fits_f32() && *dtype != Bool) {
        for [m, k, n] in [[5, 7, 3], [33, 65, 37], [1, 30, 40], [40, 30, 1], [4, 0, 5], [6, 700, 5]]
        {
            cases.push(plain(&[m, k], &[k, n], &[m, n], [dtype; 3]));
        }
        cases.push(plain(&[3, 1, 9, 8], &[5, 8, 7], &[3, 5, 9, 7], [dtype; 3]));
        let name = format!("{dtype} transposed, every second row, backwards");
        cases.push(Case::new("matmul", name, tolerance(dtype, 31), move |f| {
            let a = f.random(dtype, &[31, 20])?.transpose()?;
            let b = f.random(dtype, &[62, 33])?.step(0, 60, 31, -2)?;
            let out = f.strided_output(dtype, &[20, 33], &[1, 25], 7, 1000)?;
            Ok(Matmul { a, b, out })
        }));
    }
    for dtype in [I64, U64] {
        let name = format!("{dtype} of many bits");
        cases.push(Case::new("matmul", name, Tolerance::EXACT, move |f| {
            let all = |f: &mut Fixture<'_>, _| f.uniform().to_bits() << 4;
            Ok(Matmul {
                a: f.integers(dtype, &[9, 40], all)?,
                b: f.integers(dtype, &[40, 11], all)?,
                out: f.output(dtype, &[9, 11])?,
            })
        }));
    }
    cases.push(plain(&[65, 600], &[600, 65], &[65, 65], [F16, F32, BF16]));
    cases.push(plain(&[33, 100], &[100, 17], &[33, 17], [F16, F32, BF16]).quick());
    cases.push(plain(&[3, 1, 9, 8], &[5, 8, 7], &[3, 5, 9, 7], [F32; 3]));
    cases.push(plain(&[2, 9, 8], &[8, 7], &[2, 9, 7], [F16; 3]));
    cases.push(plain(&[9, 8], &[4, 8, 7], &[4, 9, 7], [BF16, F32, F32]));
    for dtype in [F32, F16] {
        let name = format!("{dtype} transposed, every second row, backwards");
        cases.push(Case::new("matmul", name, tolerance(F32, 31), move |f| {
            let a = f.random(dtype, &[31, 20])?.transpose()?;
            let b = f.random(dtype, &[62, 33])?.step(0, 60, 31, -2)?;
            let out = f.strided_output(F32, &[20, 33], &[1, 25], 7, 1000)?;
            Ok(Matmul { a, b, out })
        }));
    }
    cases.push(Case::new("matmul", "f32 repeated operands", tolerance(F32, 12), |f| {
        let a = f.random(F32, &[1, 12])?.broadcast_to(bessemer_core::Shape::new(&[3, 6, 12])?)?;
        Ok(Matmul { a, b: f.random(F32, &[3, 12, 5])?, out: f.output(F32, &[3, 6, 5])? })
    }));
    cases.push(Case::new("matmul", "f32 NaN and inf", tolerance(F32, 20), |f| {
        Ok(Matmul {
            a: special(f, &[6, 20])?,
            b: f.random(F32, &[20, 9])?,
            out: f.output(F32, &[6, 9])?,
        })
    }));
    for (len, dtype, out) in
        [(0, F32, F32), (1, F32, F32), (31, F16, F32), (1000, BF16, BF16), (100_003, F32, F32)]
    {
        let name = format!("{dtype} [{len}] → {out}");
        cases.push(Case::new("dot", name, tolerance(out, len), move |f| {
            let (a, b) = (f.random(dtype, &[len])?, f.random(dtype, &[len])?);
            Ok(Dot { a, b, out: f.output(out, &[])? })
        }));
    }
    cases.push(
        Case::new("dot", "f32 every third, backwards", tolerance(F32, 50), |f| {
            let a = f.random(F32, &[150])?.step(0, 149, 50, -3)?;
            Ok(Dot { a, b: f.random(F32, &[50])?, out: f.output(F16, &[1])? })
        })
        .quick(),
    );
    cases
}

fn plain(a: &[usize], b: &[usize], out: &[usize], dtypes: [DType; 3]) -> Case {
    let (a, b, out) = (a.to_vec(), b.to_vec(), out.to_vec());
    let name = format!("{} {a:?} × {} {b:?} → {}", dtypes[0], dtypes[1], dtypes[2]);
    let tolerance = tolerance(dtypes[2], a[a.len() - 1]);
    Case::new("matmul", name, tolerance, move |f| {
        Ok(Matmul {
            a: f.random(dtypes[0], &a)?,
            b: f.random(dtypes[1], &b)?,
            out: f.output(dtypes[2], &out)?,
        })
    })
}

/// A row with a NaN and a row with an infinity.
fn special(f: &mut Fixture<'_>, dims: &[usize; 2]) -> Result<View> {
    let width = dims[1];
    f.operand(F32, dims, |f, i| match (i / width, i % width) {
        (1, 3) => f64::NAN,
        (3, 5) => f64::INFINITY,
        _ => f.normal(),
    })
}

/// Sums of `len` products of normal numbers are about √len large.
fn tolerance(out: DType, len: usize) -> Tolerance {
    let bound = Tolerance::of(out);
    let least = if out.fits_f32() || out.is_complex() { 1e-6 } else { 0.0 };
    Tolerance { abs: bound.abs.max(least) * (len as f64).sqrt().max(1.0), ..bound }
}
