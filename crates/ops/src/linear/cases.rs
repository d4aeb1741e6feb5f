//! What every device is held to.

use super::Linear;
use crate::case::{Case, Tolerance};
use bessemer_core::DType::{self, F32};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for weight in DType::BLOCKS {
        let block = weight.block_len();
        for rows in [1, 2, 3, 5, 6, 8, 9, 17, 64] {
            cases.push(plain(F32, weight, F32, rows, block * 3, 37));
        }
    }
    cases
}

fn plain(x: DType, weight: DType, out: DType, rows: usize, k: usize, n: usize) -> Case {
    let name = format!("{x} × {weight} → {out} {rows}×{k}×{n}");
    Case::new("linear", name, tolerance(weight, out, k), move |f| {
        Ok(Linear {
            x: f.random(x, &[rows, k])?,
            weight: f.random(weight, &[n, k])?,
            bias: None,
            out: f.output(out, &[rows, n])?,
        })
    })
}

fn tolerance(_weight: DType, _out: DType, k: usize) -> Tolerance {
    let size = (k as f64).sqrt();
    Tolerance { nmse: 1e-4, abs: 0.05 * size, rel: 0.0 }
}
