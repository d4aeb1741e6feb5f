//! Conformance cases.

use super::ExpertLinear;
use crate::{
    case::{Case, Fixture, Tolerance},
    linear::tolerance,
};
use bessemer_core::{
    DType::{self, BF16, F16, F32, Q4_0, Q4_K, Q8_0, U32},
    Result, View,
};

/// How many of what there are.
#[derive(Clone, Copy)]
struct Sizes {
    rows: usize,
    used: usize,
    experts: usize,
    k: usize,
    n: usize,
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for weight in [F32, F16, BF16].into_iter().chain(DType::BLOCKS) {
        let block = weight.block_len();
        for own in [false, true] {
            let sizes = |rows, used, experts, k, n| Sizes { rows, used, experts, k, n };
            cases.push(plain(F32, weight, F32, own, sizes(1, 2, 5, block * 3, 37)));
            cases.push(plain(F32, weight, F32, own, sizes(23, 3, 4, block, 33)));
            cases.push(plain(F16, weight, BF16, own, sizes(3, 1, 3, 256, 20)));
        }
        cases.push(strided(weight));
        cases.push(outside(weight));
    }
    let sizes = |rows, used, experts, k, n| Sizes { rows, used, experts, k, n };
    cases.push(plain(F32, Q4_K, F32, false, sizes(1, 2, 3, 256, 10)).quick());
    cases.push(plain(F32, Q8_0, F32, true, sizes(9, 2, 4, 64, 40)).quick());
    cases.push(plain(F32, Q4_0, F32, false, sizes(70, 2, 3, 64, 96)));
    cases.push(plain(F32, F32, F32, false, sizes(70, 2, 3, 65, 97)));
    cases.push(plain(BF16, Q8_0, F16, false, sizes(3, 2, 3, 64, 20)));
    // As many experts as are used, one expert, more experts than there is work for.
    cases.push(plain(F32, F32, F32, false, sizes(4, 5, 5, 7, 3)));
    cases.push(plain(F32, F32, F32, false, sizes(4, 1, 1, 7, 3)));
    cases.push(plain(F32, F32, F32, false, sizes(2, 2, 200, 7, 3)));
    // Many rows whose experts are not all there, and in any layout.
    for weight in [F32, Q8_0, Q4_K] {
        cases.push(outside_many(weight));
        cases.push(strided_many(weight));
    }
    for none in [
        sizes(0, 2, 3, 32, 5),
        sizes(3, 0, 3, 32, 5),
        sizes(3, 2, 3, 32, 0),
        sizes(3, 2, 3, 0, 5),
        sizes(3, 2, 0, 32, 5),
    ] {
        cases.push(plain(F32, F32, F32, false, none));
        cases.push(plain(F32, Q8_0, F32, true, none));
    }
    cases
}

fn plain(x: DType, weight: DType, out: DType, own: bool, sizes: Sizes) -> Case {
    let Sizes { rows, used, experts, k, n } = sizes;
    let each = if own { ", x for each" } else { "" };
    let name = format!("{x} × {weight} → {out} {rows}×{used} of {experts}×{k}×{n}{each}");
    Case::new("expert_linear", name, tolerance(weight, out, k), move |f| {
        Ok(ExpertLinear {
            x: if own { f.random(x, &[rows, used, k]) } else { f.random(x, &[rows, k]) }?,
            weight: f.random(weight, &[experts, n, k])?,
            ids: ids(f, rows, used, experts)?,
            out: f.output(out, &[rows, used, n])?,
        })
    })
}

/// Experts picked at random; some rows pick one twice.
fn ids(f: &mut Fixture<'_>, rows: usize, used: usize, experts: usize) -> Result<View> {
    f.operand(U32, &[rows, used], |f, _| (f.uniform() * experts as f64).floor())
}

/// Columns of a wider `x`, every second expert and row of the weights backwards, transposed ids,
/// gaps in the output.
fn strided(weight: DType) -> Case {
    let name = format!("{weight} strided");
    Case::new("expert_linear", name, tolerance(weight, F32, 256), move |f| {
        let weight = f.random(weight, &[8, 42, 256])?;
        Ok(ExpertLinear {
            x: f.random(F32, &[2, 6, 300])?.narrow(2, 11..267)?.permute(&[1, 0, 2])?,
            weight: weight.step(0, 7, 4, -2)?.step(1, 40, 21, -2)?,
            ids: f
                .values(U32, &[2, 6], &[0., 3., 1., 2., 0., 0., 3., 3., 1., 0., 2., 0.])?
                .transpose()?,
            out: f.strided_output(F32, &[6, 2, 21], &[100, 50, 2], 3, 700)?,
        })
    })
}

/// As [`strided`], with more rows.
fn strided_many(weight: DType) -> Case {
    let name = format!("{weight} strided, many rows");
    Case::new("expert_linear", name, tolerance(weight, F32, 256), move |f| {
        let weight = f.random(weight, &[5, 42, 256])?;
        let ids = f.operand(U32, &[2, 33], |f, _| (f.uniform() * 3.0).floor())?;
        Ok(ExpertLinear {
            x: f.random(F32, &[2, 33, 300])?.narrow(2, 11..267)?.permute(&[1, 0, 2])?,
            weight: weight.step(0, 4, 3, -2)?.step(1, 40, 21, -2)?,
            ids: ids.transpose()?,
            out: f.strided_output(F32, &[33, 2, 21], &[100, 50, 2], 3, 3400)?,
        })
    })
}

/// One expert with more than a tile, one with nothing, and ids that none has.
fn outside_many(weight: DType) -> Case {
    let name = format!("{weight} ids outside, many rows");
    Case::new("expert_linear", name, tolerance(weight, F32, 256), move |f| {
        let ids = f.operand(U32, &[90, 2], |_, i| match i % 9 {
            0 => 4294967295.0,
            1 => 4.0,
            2 => 3.0,
            _ => 1.0,
        })?;
        Ok(ExpertLinear {
            x: f.random(F32, &[90, 256])?,
            weight: f.random(weight, &[4, 70, 256])?,
            ids,
            out: f.output(F32, &[90, 2, 70])?,
        })
    })
}

/// Ids that no expert has, and activations that are not finite.
fn outside(weight: DType) -> Case {
    let k = 256;
    let bound = Tolerance { rel: 0.05, ..tolerance(weight, F32, k) };
    Case::new("expert_linear", format!("{weight} ids outside, NaN, inf"), bound, move |f| {
        Ok(ExpertLinear {
            x: f.operand(F32, &[4, k], |f, i| match (i / k, i % k) {
                (1, 9) => f64::NAN,
                (2, 70) => f64::INFINITY,
                _ => f.normal(),
            })?,
            weight: f.random(weight, &[3, 19, k])?,
            ids: f.values(U32, &[4, 2], &[3., 2., 0., 1., 2., 4294967295., 1., 2147483648.])?,
            out: f.output(F32, &[4, 2, 19])?,
        })
    })
}
