//! Conformance cases.

use super::GatedLinears;
use crate::{
    Activation::{self, Gelu, GeluTanh, Silu},
    Linear,
    case::{Case, Tolerance},
};
use bessemer_core::{
    DType::{self, BF16, F16, F32, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0},
    Result,
};

const K: usize = 256;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (weights, activation) in [
        ([Q4_1, Q4_1], Silu),
        ([Q4_0, Q5_0], Gelu),
        ([Q4_K, Q6_K], GeluTanh),
        ([Q5_1, Q5_K], Silu),
        ([Q8_0, F16], Silu),
        ([F32, F32], Gelu),
        ([BF16, BF16], Silu),
    ] {
        for rows in [1, 3, 20] {
            cases.push(plain([F32, F32], weights, activation, rows, 37));
        }
    }
    for blocks in DType::BLOCKS {
        cases.push(plain([F32, F32], [blocks, F32], Silu, 2, 24));
    }
    cases.push(plain([F16, F16], [F16, F16], Silu, 2, 40));
    cases.push(plain([BF16, BF16], [F32, F32], Silu, 1, 40));
    cases.push(plain([F32, F32], [Q8_0, Q8_0], Silu, 1, 16).quick());
    cases.push(plain([F32, F32], [F32, F32], Silu, 0, 16));
    cases.push(plain([F32, F32], [F32, F32], Silu, 3, 0));
    cases
}

fn plain(
    [x, out]: [DType; 2],
    weights: [DType; 2],
    activation: Activation,
    rows: usize,
    n: usize,
) -> Case {
    let [gate, up] = weights;
    let name = format!("{activation:?} {x} × {gate} and {up} → {out} {rows}×{K}×{n}");
    Case::new("gated_linears", name, tolerance(weights, out), move |f| {
        // Sums of about 1, where activations bend.
        let x = f.operand(x, &[rows, K], |f, _| f.normal() / 16.0)?;
        let mut layers = weights.iter().map(|&weight| {
            let bias = if weight == gate { Some(f.random(F32, &[n])?) } else { None };
            let weight = f.random(weight, &[n, K])?;
            Ok(Linear { x: x.clone(), weight, bias, out: f.output(out, &[rows, n])? })
        });
        let mut next = || -> Result<Linear> { layers.next().expect("two layers") };
        let (gate, up) = (next()?, next()?);
        drop(layers);
        Ok(GatedLinears { gate, up, activation, out: f.output(out, &[rows, n])? })
    })
}

/// As for linear layers, of sums of about 1, that are multiplied with each other.
fn tolerance(weights: [DType; 2], out: DType) -> Tolerance {
    if weights.iter().any(|weight| weight.is_block()) {
        return Tolerance { nmse: 4e-4, abs: 0.08, rel: 0.03 };
    }
    let bound = Tolerance::of(out);
    if weights.iter().any(|weight| weight.block_bytes() == 2) {
        return Tolerance { nmse: bound.nmse.max(1e-7), abs: 2e-3, rel: bound.rel.max(1e-3) };
    }
    // Results that were rounded are multiplied.
    Tolerance { abs: bound.abs.max(4e-6), ..bound.widen(4.0) }
}
