//! Conformance cases.

use super::RmsNorm;
use crate::case::{Case, Tolerance};
use bessemer_core::DType::{self, BF16, F16, F32};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dims in [[1, 1], [0, 5], [3, 32], [5, 257], [2, 576], [7, 4096], [130, 64]] {
        for x in [F32, F16, BF16] {
            let weight = if x == F32 { F32 } else { F16 };
            cases.push(plain(x, weight, x, dims));
        }
    }
    cases.push(plain(F32, F32, F16, [4, 100]));
    cases.push(plain(F16, F32, F32, [4, 100]).quick());
    cases.push(Case::new("rms_norm", "f32 [4, 96] in place", Tolerance::of(F32), |f| {
        let (x, weight) = (f.random(F32, &[4, 96])?, f.random(F32, &[96])?);
        Ok(RmsNorm { out: x.clone(), x, weight, epsilon: 1e-5 })
    }));
    cases.push(Case::new("rms_norm", "f32 columns of a wider array", Tolerance::of(F32), |f| {
        let x = f.random(F32, &[3, 5, 200])?.narrow(2, 7..107)?.permute(&[1, 0, 2])?;
        let out = f.strided_output(F32, &[5, 3, 100], &[330, 110, 1], 3, 2000)?;
        Ok(RmsNorm { x, weight: f.random(F32, &[100])?, epsilon: 1e-6, out })
    }));
    cases.push(Case::new("rms_norm", "f32 transposed", Tolerance::of(F32), |f| {
        let x = f.random(F32, &[33, 9])?.transpose()?;
        Ok(RmsNorm {
            x,
            weight: f.random(F32, &[33])?,
            epsilon: 0.0,
            out: f.output(F32, &[9, 33])?,
        })
    }));
    cases.push(Case::new("rms_norm", "f32 zeros, NaN, inf, large", Tolerance::of(F32), |f| {
        let special = [0.0, f64::NAN, f64::INFINITY, 1e18];
        let x = f.operand(F32, &[4, 40], |f, i| match (i / 40, i % 40) {
            (0, _) => 0.0,
            (row, 3) => special[row],
            _ => f.normal(),
        })?;
        Ok(RmsNorm {
            x,
            weight: f.random(F32, &[40])?,
            epsilon: 1e-5,
            out: f.output(F32, &[4, 40])?,
        })
    }));
    cases
}

fn plain(x: DType, weight: DType, out: DType, dims: [usize; 2]) -> Case {
    let name = format!("{x} × {weight} → {out} {dims:?}");
    Case::new("rms_norm", name, Tolerance::of(out), move |f| {
        Ok(RmsNorm {
            x: f.random(x, &dims)?,
            weight: f.random(weight, &dims[1..])?,
            epsilon: 1e-5,
            out: f.output(out, &dims)?,
        })
    })
}
