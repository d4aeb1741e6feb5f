//! Conformance cases.

use super::{ActivatedLinears, Linear, Linears};
use crate::{
    Activation::{self, Sigmoid, SquaredRelu, Tanh},
    case::{Case, Tolerance},
};
use bessemer_core::{
    DType::{self, BF16, F16, F32, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0},
    Result,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for weight in DType::BLOCKS {
        let block = weight.block_len();
        for rows in [1, 2, 3, 5, 6, 8, 9, 17, 64] {
            cases.push(plain(F32, weight, F32, rows, block * 3, 37));
        }
        // One block, more than one panel deep, and odd numbers of outputs.
        for (rows, k, n) in [(1, block, 1), (4, block, 33), (1, 768, 130), (7, 768, 15)] {
            cases.push(plain(F32, weight, F32, rows, k, n));
        }
        cases.push(plain(F16, weight, BF16, 3, 256, 20));
        cases.push(strided(weight));
        cases.push(not_finite(weight));
        cases.push(plain(F32, weight, F32, 3, 0, 5));
    }
    for (rows, k, n) in [(1, 32, 16), (1, 96, 17), (1, 576, 48), (12, 576, 70), (530, 64, 40)] {
        cases.push(plain(F32, Q4_0, F32, rows, k, n));
        cases.push(plain(F32, Q8_0, F32, rows, k, n));
    }
    cases.push(plain(F32, Q4_K, F32, 1, 1024, 64));
    cases.push(plain(F32, Q6_K, F32, 9, 512, 64));
    cases.push(plain(F32, Q4_K, F32, 1, 256, 17).quick());
    cases.push(plain(F32, Q6_K, F32, 9, 256, 16).quick());
    for weight in [F32, F16, BF16] {
        for (rows, k, n) in [
            (1, 1, 1),
            (1, 100, 7),
            (2, 33, 9),
            (8, 257, 21),
            (9, 600, 50),
            (65, 130, 300),
            (0, 8, 8),
            (3, 0, 8),
            (3, 8, 0),
        ] {
            cases.push(plain(F32, weight, F32, rows, k, n));
        }
        for (rows, k, n) in [(33, 32, 1), (37, 576, 70), (41, 96, 33), (530, 64, 40)] {
            cases.push(plain(F32, weight, F32, rows, k, n));
        }
        // Tiles of even and odd heights, whole and not; several panels, and passes over long rows.
        for (rows, k, n) in
            [(5, 33, 9), (7, 48, 16), (13, 100, 21), (24, 96, 35), (12, 1610, 39), (26, 2300, 29)]
        {
            cases.push(plain(F32, weight, F32, rows, k, n));
        }
        cases.push(plain(F32, weight, F32, 131, 40, 19));
        cases.push(transposed(weight, 3));
        cases.push(transposed(weight, 12));
        cases.push(plain(BF16, weight, F16, 11, 70, 40));
        cases.push(plain(F16, weight, F16, 5, 64, 40));
        cases.push(plain(F16, weight, BF16, 36, 64, 40));
        cases.push(weights_not_finite(weight));
        cases.push(strided(weight));
        cases.push(not_finite(weight));
    }
    for weights in [
        [Q4_0, Q4_0, Q4_0],
        [Q4_K, Q4_K, Q6_K],
        [Q5_0, Q5_0, Q8_0],
        [Q4_1, Q5_1, Q5_K],
        [F16, Q8_0, F32],
    ] {
        for rows in [1, 3, 40] {
            cases.push(together(F32, weights, F32, rows));
        }
    }
    for weight in [F32, F16, BF16].into_iter().chain(DType::BLOCKS) {
        for rows in [1, 3, 20] {
            cases.push(in_one_memory(weight, rows));
        }
    }
    cases.push(together(F16, [BF16, BF16, BF16], F16, 2));
    cases.push(together(BF16, [Q8_0, Q8_0, Q8_0], BF16, 1));
    cases.push(together(F32, [Q4_0, Q4_0, Q8_0], F32, 1).quick());
    for weights in [
        [Q4_K, Q4_K, Q4_K, F16, F16],
        [Q8_0, F32, Q8_0, F32, Q4_0],
        [F16, F16, F16, F16, F16],
        [Q6_K, BF16, Q4_K, Q4_K, BF16],
    ] {
        for rows in [1, 2, 4, 7, 40] {
            cases.push(of_mixes(weights, rows));
        }
    }
    for weight in [F32, F16, Q8_0, Q4_K] {
        for rows in [1, 3, 20] {
            cases.push(mixes_in_one_memory(weight, rows));
        }
    }
    cases.push(of_lengths(1));
    cases.push(of_lengths(5));
    cases.push(of_lengths(70));
    for activation in Activation::ALL {
        for rows in [1, 5, 40] {
            cases.push(activated([F32, F32, F32], activation, F32, rows));
        }
    }
    for (weights, activation) in
        [([F16, Q8_0, F32], Tanh), ([Q4_K, Q6_K, Q4_K], SquaredRelu), ([BF16, F16, F16], Sigmoid)]
    {
        for rows in [1, 4, 12, 133] {
            cases.push(activated(weights, activation, F32, rows));
        }
    }
    for weight in DType::BLOCKS {
        cases.push(activated([weight, F32, F32], SquaredRelu, F32, 2));
    }
    cases.push(activated([F32, F32, F32], SquaredRelu, F16, 2));
    cases.push(activated([BF16, BF16, BF16], Sigmoid, BF16, 9));
    cases.push(activated([Q8_0, F16, F32], Tanh, F32, 1).quick());
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

/// Layers of several sizes, one of them with a bias.
fn together(x: DType, weights: [DType; 3], out: DType, rows: usize) -> Case {
    let [q, k, v] = weights;
    let name = format!("{x} × {q}, {k} and {v} → {out} {rows}×256");
    let bound = weights.map(|weight| tolerance(weight, out, 256));
    let bound = bound.into_iter().max_by(|a, b| a.nmse.total_cmp(&b.nmse)).expect("three");
    Case::new("linears", name, bound, move |f| {
        let x = f.random(x, &[rows, 256])?;
        let layers = weights.into_iter().zip([130, 33, 48]).map(|(weight, n)| {
            let bias = if n == 33 { Some(f.random(F32, &[n])?) } else { None };
            let weight = f.random(weight, &[n, 256])?;
            Ok(Linear { x: x.clone(), weight, bias, out: f.output(out, &[rows, n])? })
        });
        Ok(Linears(layers.collect::<Result<_>>()?))
    })
}

/// Layers of which each has an `x` of its own, all parts of one array, but for two that share one.
fn of_mixes(weights: [DType; 5], rows: usize) -> Case {
    let name = format!("{weights:?} of several x, {rows}×256");
    let bound = weights.map(|weight| tolerance(weight, F32, 256));
    let bound = bound.into_iter().max_by(|a, b| a.nmse.total_cmp(&b.nmse)).expect("five");
    Case::new("linears", name, bound, move |f| {
        let mixes = f.random(F32, &[4, rows, 256])?;
        let layers = weights.into_iter().zip([130, 33, 48, 16, 7]).enumerate();
        let layers = layers.map(|(i, (weight, n))| {
            let x = mixes.narrow(0, i % 4..i % 4 + 1)?.squeeze(0)?;
            let bias = if n == 33 { Some(f.random(F32, &[n])?) } else { None };
            let weight = f.random(weight, &[n, 256])?;
            Ok(Linear { x, weight, bias, out: f.output(F32, &[rows, n])? })
        });
        Ok(Linears(layers.collect::<Result<_>>()?))
    })
}

/// The same with weights that lie in one memory, and with mixes beside each other in the rows of an array.
fn mixes_in_one_memory(weight: DType, rows: usize) -> Case {
    let name = format!("{weight} of several x, in one memory, {rows}×256");
    Case::new("linears", name, tolerance(weight, F32, 256), move |f| {
        let (mixes, all) = (f.random(F32, &[rows, 3, 256])?, f.random(weight, &[220, 256])?);
        let layers = [40..168, 8..41, 168..216].into_iter().enumerate().map(|(i, range)| {
            let (x, n) = (mixes.narrow(1, 2 - i..3 - i)?.squeeze(1)?, range.len());
            let bias = if n == 33 { Some(f.random(F32, &[n])?) } else { None };
            let weight = all.narrow(0, range)?;
            Ok(Linear { x, weight, bias, out: f.output(F32, &[rows, n])? })
        });
        Ok(Linears(layers.collect::<Result<_>>()?))
    })
}

/// Layers whose rows have several lengths and dtypes, one of them empty.
fn of_lengths(rows: usize) -> Case {
    let name = format!("f32, f16 and q8_0 of several lengths, {rows} rows");
    Case::new("linears", name, tolerance(Q8_0, F32, 96), move |f| {
        let sizes = [(F32, F32, 64, 40), (F16, F16, 32, 70), (F32, Q8_0, 96, 33), (F32, F32, 0, 5)];
        let layers = sizes.into_iter().map(|(x, weight, k, n)| {
            let (x, weight) = (f.random(x, &[rows, k])?, f.random(weight, &[n, k])?);
            let bias = Some(f.random(F32, &[n])?);
            Ok(Linear { x, weight, bias, out: f.output(F32, &[rows, n])? })
        });
        Ok(Linears(layers.collect::<Result<_>>()?))
    })
}

/// A layer with an activation and a bias, one with neither, and one with an activation alone.
fn activated(weights: [DType; 3], activation: Activation, out: DType, rows: usize) -> Case {
    let name = format!("{activation:?} of {weights:?} → {out} {rows}×256");
    // Sums of about 1, where activations bend. Those that square double their errors.
    let bound = weights.map(|weight| tolerance(weight, out, 1));
    let bound = bound.into_iter().max_by(|a, b| a.nmse.total_cmp(&b.nmse)).expect("three");
    let bound = Tolerance { nmse: 4.0 * bound.nmse, abs: 4.0 * bound.abs, ..bound };
    Case::new("activated_linears", name, bound, move |f| {
        let x = f.operand(F32, &[rows, 256], |f, _| f.normal() / 16.0)?;
        let layers = weights.into_iter().zip([130, 33, 48]).map(|(weight, n)| {
            let bias = if n == 130 { Some(f.random(F32, &[n])?) } else { None };
            let weight = f.random(weight, &[n, 256])?;
            let layer = Linear { x: x.clone(), weight, bias, out: f.output(out, &[rows, n])? };
            Ok((layer, (n != 33).then_some(activation)))
        });
        Ok(ActivatedLinears(layers.collect::<Result<_>>()?))
    })
}

/// Layers whose weights lie in one memory, as those of a model's file do, not in their order.
fn in_one_memory(weight: DType, rows: usize) -> Case {
    let name = format!("{weight} in one memory, {rows}×256");
    Case::new("linears", name, tolerance(weight, F32, 256), move |f| {
        let x = f.random(F32, &[rows, 256])?;
        let all = f.random(weight, &[220, 256])?;
        let layers = [40..168, 8..41, 168..216].into_iter().map(|range| {
            let n = range.len();
            let bias = if n == 33 { Some(f.random(F32, &[n])?) } else { None };
            let weight = all.narrow(0, range)?;
            Ok(Linear { x: x.clone(), weight, bias, out: f.output(F32, &[rows, n])? })
        });
        Ok(Linears(layers.collect::<Result<_>>()?))
    })
}

/// Columns of a wider `x`, every second row of the weights backwards, a bias, gaps in the output.
fn strided(weight: DType) -> Case {
    let name = format!("{weight} strided, with bias");
    Case::new("linear", name, tolerance(weight, F32, 256), move |f| {
        Ok(Linear {
            x: f.random(F32, &[2, 5, 300])?.narrow(2, 11..267)?.permute(&[1, 0, 2])?,
            weight: f.random(weight, &[42, 256])?.step(0, 40, 21, -2)?,
            bias: Some(f.random(F16, &[21])?),
            out: f.strided_output(F32, &[5, 2, 21], &[100, 50, 2], 3, 600)?,
        })
    })
}

/// Weights whose columns are the ones without gaps.
fn transposed(weight: DType, rows: usize) -> Case {
    let name = format!("{weight} transposed, {rows} rows");
    Case::new("linear", name, tolerance(weight, F32, 70), move |f| {
        Ok(Linear {
            x: f.random(F32, &[rows, 70])?,
            weight: f.random(weight, &[70, 23])?.permute(&[1, 0])?,
            bias: None,
            out: f.output(F32, &[rows, 23])?,
        })
    })
}

/// Rows with a NaN, an infinity, zeros and large numbers among plain ones.
fn not_finite(weight: DType) -> Case {
    let k = 256;
    let name = format!("{weight} NaN, inf, zeros, large");
    let bound = Tolerance { rel: 0.05, ..tolerance(weight, F32, k) };
    Case::new("linear", name, bound, move |f| {
        let x = f.operand(F32, &[5, k], |f, i| match (i / k, i % k) {
            (0, 9) => f64::NAN,
            (2, 70) => f64::INFINITY,
            (3, _) => 0.0,
            _ => f.normal(),
        })?;
        Ok(Linear {
            x,
            weight: f.random(weight, &[19, k])?,
            bias: None,
            out: f.output(F32, &[5, 19])?,
        })
    })
}

/// Weights with a NaN, an infinity, zeros and small numbers among plain ones.
fn weights_not_finite(weight: DType) -> Case {
    let k = 64;
    let name = format!("{weight} with NaN, inf, zeros, small weights");
    Case::new("linear", name, tolerance(weight, F32, k), move |f| {
        let weight = f.operand(weight, &[39, k], |f, i| match (i / k, i % k) {
            (1, 9) => f64::NAN,
            (2, 40) | (35, 3) => f64::INFINITY,
            (3, _) => 0.0,
            (5, 32..) => 1e-6 * f.normal(),
            _ => f.normal(),
        })?;
        let (x, out) = (f.random(F32, &[40, k])?, f.output(F32, &[40, 39])?);
        Ok(Linear { x, weight, bias: None, out })
    })
}

/// Sums of `k` products of normal numbers are about √k large. With activations rounded to 8 bits
/// the mean squared error is about 3e-5 of the signal, or 4e-5 where 128 share a step: that is
/// their peak (2 to 3 deviations) / 127, and rounding errs by 0.29 of a step. Dense weights of two
/// bytes may meet activations rounded to their peak / 8190, and be rounded to
/// about as much of their own peak, which makes it 1.4e-8.
pub(crate) fn tolerance(weight: DType, out: DType, k: usize) -> Tolerance {
    let size = (k as f64).sqrt().max(1.0);
    let bound = Tolerance::of(out);
    if weight.is_block() {
        Tolerance { nmse: bound.nmse.max(1e-4), abs: 0.05 * size, rel: bound.rel }
    } else if weight.block_bytes() == 2 {
        Tolerance { nmse: bound.nmse.max(3e-8), abs: 1e-3 * size, rel: bound.rel }
    } else {
        Tolerance { abs: bound.abs.max(1e-6) * size, ..bound }
    }
}
