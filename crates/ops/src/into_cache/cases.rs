//! Conformance cases.

use super::{HeadNorms, IntoCache};
use crate::{
    RopePairs, RopeScaling,
    case::{Case, Fixture, Tolerance},
};
use bessemer_core::{
    DType::{self, BF16, F16, F32, Q8_0, U32},
    Result, Shape, View,
};

/// The sizes of a case.
#[derive(Clone, Copy)]
struct Sizes {
    rows: usize,
    heads: usize,
    kv_heads: usize,
    size: usize,
    pairs: usize,
    tokens: usize,
}

pub(crate) fn cases() -> Vec<Case> {
    let one = Sizes { rows: 1, heads: 9, kv_heads: 3, size: 64, pairs: 32, tokens: 40 };
    let mut cases = Vec::new();
    for cache in [F32, F16, BF16, Q8_0] {
        for pairs in [RopePairs::Halves, RopePairs::Neighbours] {
            for normed in [false, true] {
                cases.push(plain(F32, cache, one, pairs, normed));
                cases.push(plain(F32, cache, Sizes { rows: 7, ..one }, pairs, normed));
            }
        }
        let many = Sizes { rows: 130, heads: 4, kv_heads: 4, tokens: 150, ..one };
        cases.push(plain(F32, cache, many, RopePairs::Halves, true));
    }
    let odd = Sizes { rows: 3, heads: 2, kv_heads: 1, size: 13, pairs: 5, tokens: 9 };
    for x in [F32, F16, BF16] {
        cases.push(plain(x, x, odd, RopePairs::Halves, true));
        cases.push(plain(x, F32, Sizes { pairs: 0, ..odd }, RopePairs::Neighbours, false));
    }
    cases.push(plain(F32, F32, Sizes { rows: 0, ..odd }, RopePairs::Halves, false));
    cases.push(plain(F32, F32, Sizes { heads: 0, kv_heads: 0, ..odd }, RopePairs::Halves, false));
    cases.push(side_by_side(one).quick());
    cases.push(side_by_side(Sizes { rows: 5, ..one }));
    cases.push(case("f32 places: the last wins, some are outside", F32, F32, move |f| {
        let sizes = Sizes { rows: 5, ..one };
        let mut op = op(f, F32, F32, sizes, RopePairs::Halves, false)?;
        op.positions = f.values(U32, &[5], &[39.0, 0.0, 40.0, 39.0, 4_294_967_295.0])?;
        Ok(op)
    }));
    for (cache, normed) in [(F32, false), (F16, true), (Q8_0, true)] {
        let name = format!("f32 → {cache} slots apart from positions, normed {normed}");
        cases.push(case(name, F32, cache, move |f| {
            let mut op = op(f, F32, cache, Sizes { rows: 5, ..one }, RopePairs::Halves, normed)?;
            op.positions = f.values(U32, &[5], &[1000.0, 3.0, 40.0, 39.0, 7.0])?;
            op.slots = Some(f.values(U32, &[5], &[5.0, 39.0, 40.0, 5.0, 0.0])?);
            Ok(op)
        }));
    }
    cases
}

fn plain(x: DType, cache: DType, sizes: Sizes, pairs: RopePairs, normed: bool) -> Case {
    let Sizes { rows, heads, kv_heads, size, .. } = sizes;
    let normed_or = if normed { ", normed" } else { "" };
    let turned = sizes.pairs;
    let name = format!(
        "{x} → {cache} {rows} rows, {heads}/{kv_heads}×{size}, {turned} {pairs:?}{normed_or}"
    );
    case(name, x, cache, move |f| op(f, x, cache, sizes, pairs, normed))
}

/// Queries, keys and values as parts of one array.
fn side_by_side(sizes: Sizes) -> Case {
    let name = format!("f32 → f16 {} rows, side by side", sizes.rows);
    case(name, F32, F16, move |f| {
        let mut op = op(f, F32, F16, sizes, RopePairs::Halves, false)?;
        let Sizes { rows, heads, kv_heads, size, .. } = sizes;
        let all = heads + 2 * kv_heads;
        let view = f.random(F32, &[rows, all * size])?;
        let view = view.reshape(Shape::new(&[rows, all, size])?)?.expect("gapless rows");
        op.q = view.narrow(1, 0..heads)?;
        op.k = view.narrow(1, heads..heads + kv_heads)?;
        op.v = view.narrow(1, heads + kv_heads..all)?;
        Ok(op)
    })
}

fn op(
    f: &mut Fixture<'_>,
    x: DType,
    cache: DType,
    sizes: Sizes,
    pairs: RopePairs,
    normed: bool,
) -> Result<IntoCache> {
    let Sizes { rows, heads, kv_heads, size, tokens, .. } = sizes;
    let found = RopeScaling::None.frequencies(10_000.0, 2 * sizes.pairs)?;
    let frequencies: Vec<f64> = found.per_pair.iter().map(|&x| f64::from(x)).collect();
    let norm = |f: &mut Fixture<'_>| -> Result<View> { f.random(x, &[size]) };
    Ok(IntoCache {
        q: f.random(x, &[rows, heads, size])?,
        k: f.random(x, &[rows, kv_heads, size])?,
        v: f.random(x, &[rows, kv_heads, size])?,
        norms: match normed {
            true => Some(HeadNorms { q: norm(f)?, k: norm(f)?, epsilon: 1e-5 }),
            false => None,
        },
        positions: f.operand(U32, &[rows], |_, i| (tokens - rows + i) as f64)?,
        frequencies: f.values(F32, &[sizes.pairs], &frequencies)?,
        magnitude: 1.1,
        pairs,
        slots: None,
        keys: f.output(cache, &[kv_heads, tokens, size])?,
        values: f.output(cache, &[kv_heads, tokens, size])?,
        out: f.output(x, &[rows, heads, size])?,
    })
}

fn case(
    name: impl Into<String>,
    x: DType,
    cache: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<IntoCache> + Send + Sync + 'static,
) -> Case {
    // What is a hair apart may be rounded to neighbouring numbers of the cache: those of blocks
    // are a 127th of the largest apart.
    let kept = match cache {
        Q8_0 => Tolerance { nmse: 1e-4, abs: 0.05, rel: 0.0 },
        other => Tolerance::of(other),
    };
    let own = Tolerance::of(x);
    let bound = Tolerance {
        nmse: own.nmse.max(kept.nmse),
        abs: own.abs.max(kept.abs).max(1e-5),
        rel: own.rel.max(kept.rel),
    };
    Case::new("into_cache", name, bound, make)
}
