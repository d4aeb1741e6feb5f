//! Conformance cases: results must equal the reference bit for bit.

use super::{Dequantize, Quantize};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, Q4_0, Q4_K, Q6_K, Q8_0},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for blocks in DType::BLOCKS {
        let block = blocks.block_len();
        for floats in [F32, F16, BF16] {
            for rows in [1, 7] {
                let name = format!("[{rows}, {}]", 3 * block);
                cases.extend(both(&name, floats, blocks, move |f, dtype| {
                    f.random(dtype, &[rows, 3 * block])
                }));
            }
        }
        cases.push(extremes(blocks));
        for dims in [[0, 256], [3, 0]] {
            cases.extend(both(&format!("{dims:?}"), F32, blocks, move |f, dtype| {
                f.random(dtype, &dims)
            }));
        }
        cases.extend(both("of rows in another order", F32, blocks, |f, dtype| {
            f.random(dtype, &[2, 3, 256])?.permute(&[1, 0, 2])
        }));
    }
    // Longer than one thread's piece, with something left over; and a repeated row.
    cases.extend(both("[1, 9472]", F32, Q4_K, |f, dtype| f.random(dtype, &[1, 9472])));
    cases.extend(both("[3, 5, 1024]", F16, Q8_0, |f, dtype| f.random(dtype, &[3, 5, 1024])));
    cases.extend(both("of a repeated row", F32, Q4_0, |f, dtype| {
        let shape = [4, 3, 64].as_slice().try_into()?;
        f.random(dtype, &[3, 64])?.broadcast_to(shape)
    }));
    cases.push(quantize("f32 → q6_k, transposed", Q6_K, |f| {
        f.random(F32, &[256, 3])?.transpose()
    }));
    for blocks in [Q8_0, Q4_K] {
        let quick = both("[2, 512]", F32, blocks, |f, dtype| f.random(dtype, &[2, 512]));
        cases.extend(quick.map(Case::quick));
    }
    cases
}

/// There and back: `make` gives the operand of a dtype.
fn both(
    name: &str,
    floats: DType,
    blocks: DType,
    make: impl Fn(&mut Fixture<'_>, DType) -> Result<View> + Copy + Send + Sync + 'static,
) -> [Case; 2] {
    let there = quantize(format!("{floats} → {blocks} {name}"), blocks, move |f| make(f, floats));
    let back = format!("{blocks} → {floats} {name}");
    let back = Case::new("dequantize", back, Tolerance::EXACT, move |f| {
        let x = make(f, blocks)?;
        Ok(Dequantize { out: f.output(floats, x.shape())?, x })
    });
    [there, back]
}

fn quantize(
    name: impl Into<String>,
    blocks: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + 'static,
) -> Case {
    Case::new("quantize", name, Tolerance::EXACT, move |f| {
        let x = make(f)?;
        Ok(Quantize { out: f.output(blocks, x.shape())?, x })
    })
}

/// One block each of zeros, one value, tiny and huge numbers, NaN and an infinity.
fn extremes(blocks: DType) -> Case {
    let block = blocks.block_len();
    quantize(format!("f32 → {blocks}, zeros, tiny, huge, NaN, inf"), blocks, move |f| {
        f.operand(F32, &[2, 7 * block], |f, i| match (i / block % 7, i % block) {
            (0, _) => 0.0,
            (1, _) => 3.25,
            (2, _) => f.normal() * 1e-30,
            (3, _) => f.normal() * 1e30,
            (4, 5) => f64::NAN,
            (5, 9) => f64::NEG_INFINITY,
            _ => f.normal(),
        })
    })
}
