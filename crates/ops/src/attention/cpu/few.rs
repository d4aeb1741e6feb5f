//! Few queries, as in decoding: keys and values are read once from the KV cache in their own dtype, and
//! widened in registers. Scores are dot products, a row of them for each query.

use super::{
    TILE,
    state::{Settings, State},
    stored::{Stored, Tokens},
};
use bessemer_simd::{Arch, Lanes, math};
use std::ops::Range;

/// The scores of `queries` rows of `q` against some keys: `TILE` per query.
///
/// Meanwhile the cache lines of `next`, which come next, are asked for.
#[inline(always)]
pub(super) fn score<A: Arch>(
    q: &[f32],
    padded: usize,
    queries: usize,
    keys: impl Stored,
    scores: &mut [f32],
    next: impl Tokens,
) {
    let mut query = 0;
    while query < queries {
        let q = &q[query * padded..];
        let scores = &mut scores[query * TILE..];
        // As many sums as there are registers for. One reading is enough to ask for what is next.
        let most = if A::F32::LEN == 16 { 4 } else { 2 };
        let next = if query == 0 { Some(next) } else { None };
        query += match (queries - query).min(most) {
            4.. => (4, dots::<A, 4>(q, padded, keys, scores, next)).0,
            3 => (3, dots::<A, 3>(q, padded, keys, scores, next)).0,
            2 => (2, dots::<A, 2>(q, padded, keys, scores, next)).0,
            _ => (1, dots::<A, 1>(q, padded, keys, scores, next)).0,
        };
    }
}

/// The same for `Q` queries.
#[inline(always)]
fn dots<A: Arch, const Q: usize>(
    q: &[f32],
    padded: usize,
    keys: impl Stored,
    scores: &mut [f32],
    next: Option<impl Tokens>,
) {
    let (len, count) = (A::F32::LEN, keys.rows());
    assert!(padded.is_multiple_of(2 * len) && q.len() >= Q * padded && padded <= keys.columns());
    for first in (0..count).step_by(4) {
        if let Some(next) = next {
            (first..first + 4).for_each(|row| next.prefetch(row));
        }
        // Behind the last key the last one again: those scores are not looked at.
        let mut sums = [[A::F32::splat(0.0); 4]; Q];
        let mut column = 0;
        while column < padded {
            for i in 0..4 {
                // SAFETY: a row and columns of the keys, as asserted above.
                let [low, high] = unsafe { keys.pair::<A>((first + i).min(count - 1), column) };
                for (query, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: `q` has `Q` rows of `padded`, which is a multiple of both.
                    let q = unsafe { q.get_unchecked(query * padded + column..) };
                    // SAFETY: as above.
                    let q = unsafe { q.get_unchecked(..2 * len) };
                    let sum = A::F32::load(q).fma(low, sums[i]);
                    sums[i] = A::F32::load(&q[len..]).fma(high, sum);
                }
            }
            column += 2 * len;
        }
        for (query, sums) in sums.into_iter().enumerate() {
            scores[query * TILE + first..][..4].copy_from_slice(&A::F32::sum4(sums));
        }
    }
}

/// Makes scores into weights and brings the state up to date but for the new values. What a
/// query does not see has no weight.
#[inline(always)]
pub(super) fn weigh<A: Arch>(
    scores: &mut [f32],
    count: usize,
    settings: Settings,
    state: &mut State<'_>,
    seen: impl Fn(usize) -> Range<usize>,
) {
    let queries = state.most.len();
    for (query, scores) in scores.chunks_exact_mut(TILE).take(queries).enumerate() {
        if let Some(cap) = settings.soft_cap {
            scores.iter_mut().for_each(|score| *score = cap * math::tanh::<A>(*score / cap));
        }
        let seen = seen(query);
        if seen != (0..count) || count < TILE {
            scores[..seen.start].fill(f32::NEG_INFINITY);
            scores[seen.end..].fill(f32::NEG_INFINITY);
        }
    }
    let mut first = 0;
    while first < queries {
        let these = first..queries.min(first + 4);
        // Beyond the last query there is room for as many as a block has, and nothing of meaning.
        let scores = &mut scores[first * TILE..(first + 4) * TILE];
        let most = A::F32::max4(over::<A, false>(scores));
        let mut shrinks = [1.0; 4];
        for (i, query) in these.clone().enumerate() {
            let before = state.most[query];
            let most = if most[i] > before { most[i] } else { before };
            // Where no key was seen yet all scores are -inf: any other number makes no weights of
            // them.
            let from = if most == f32::NEG_INFINITY { 0.0 } else { most };
            math::exp_below_in_place::<A>(&mut scores[i * TILE..(i + 1) * TILE], from);
            if most != before {
                shrinks[i] = math::exp::<A>(before - from);
            }
            state.most[query] = most;
        }
        let sums = A::F32::sum4(over::<A, true>(scores));
        for ((query, sum), shrink) in these.zip(sums).zip(shrinks) {
            state.sums[query] = state.sums[query] * shrink + sum;
            if shrink != 1.0 {
                let values = &mut state.values[query * settings.padded..][..settings.padded];
                values.iter_mut().for_each(|value| *value *= shrink);
            }
        }
        first += 4;
    }
}

/// The largest, or the sum, of a tile of scores of each of four queries, in as many lanes as
/// vectors have.
#[inline(always)]
fn over<A: Arch, const SUM: bool>(scores: &[f32]) -> [A::F32; 4] {
    let start = if SUM { 0.0 } else { f32::NEG_INFINITY };
    let mut together = [A::F32::splat(start); 4];
    for (scores, together) in scores.chunks_exact(TILE).zip(&mut together) {
        for scores in scores.chunks_exact(A::F32::LEN) {
            let scores = A::F32::load(scores);
            *together = if SUM { scores.add(*together) } else { scores.max(*together) };
        }
    }
    together
}

/// Adds values to the `queries` rows of `sums`, with the weights of each query: `TILE` per query.
#[inline(always)]
pub(super) fn add_values<A: Arch>(
    weights: &[f32],
    queries: usize,
    values: impl Stored,
    sums: &mut [f32],
    padded: usize,
    next: impl Tokens,
) {
    let mut query = 0;
    while query < queries {
        let weights = &weights[query * TILE..];
        let sums = &mut sums[query * padded..];
        let next = if query == 0 { Some(next) } else { None };
        // As many sums as there are registers for: of few queries more columns each.
        macro_rules! weighted {
            ($queries:literal, $pairs:literal) => {
                ($queries, weighted::<A, $queries, $pairs>(weights, values, sums, padded, next)).0
            };
        }
        let (wide, long) = (A::F32::LEN == 16, padded >= 4 * A::F32::LEN);
        query += match queries - query {
            8.. if wide => weighted!(8, 1),
            4.. if wide && long => weighted!(4, 2),
            4.. => weighted!(4, 1),
            3 if wide && long => weighted!(3, 2),
            2.. if wide && long => weighted!(2, 2),
            2.. => weighted!(2, 1),
            _ if long => weighted!(1, 2),
            _ => weighted!(1, 1),
        };
    }
}

/// The same for `Q` queries, `P` pairs of vectors at a time.
#[inline(always)]
fn weighted<A: Arch, const Q: usize, const P: usize>(
    weights: &[f32],
    values: impl Stored,
    sums: &mut [f32],
    padded: usize,
    next: Option<impl Tokens>,
) {
    let (wide, count) = (2 * A::F32::LEN, values.rows());
    assert!(count <= TILE && weights.len() >= (Q - 1) * TILE + count);
    assert!(padded.is_multiple_of(wide) && padded <= values.columns() && padded >= P * wide);
    let mut column = 0;
    while column < padded {
        // Behind the last whole piece, the last columns: some of them once more.
        let from = column.min(padded - P * wide);
        let mut parts = [[[A::F32::splat(0.0); 2]; P]; Q];
        for row in 0..count {
            if let (Some(next), 0) = (next, column) {
                next.prefetch(row);
            }
            for pair in 0..P {
                // SAFETY: a row and columns of the values, as asserted above.
                let [low, high] = unsafe { values.pair::<A>(row, from + pair * wide) };
                for (query, parts) in parts.iter_mut().enumerate() {
                    // SAFETY: `Q` rows of weights for as many keys, as asserted above.
                    let weight = unsafe { *weights.get_unchecked(query * TILE + row) };
                    let weight = A::F32::splat(weight);
                    parts[pair][0] = weight.fma(low, parts[pair][0]);
                    parts[pair][1] = weight.fma(high, parts[pair][1]);
                }
            }
        }
        for (query, parts) in parts.into_iter().enumerate() {
            let sums = &mut sums[query * padded + from..][..P * wide];
            // What was added before is not added again.
            let known = (column - from) / wide;
            for (part, sums) in parts.into_iter().zip(sums.chunks_exact_mut(wide)).skip(known) {
                let (low, high) = sums.split_at_mut(A::F32::LEN);
                A::F32::load(low).add(part[0]).store(low);
                A::F32::load(high).add(part[1]).store(high);
            }
        }
        column = from + P * wide;
    }
}
