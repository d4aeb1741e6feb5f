//! Few queries, as when decoding: scores are dot products, a row of them for each query.

use super::{
    TILE,
    multiply::Matrix,
    state::{Settings, State},
};
use bessemer_simd::{Arch, Lanes, fold, math};
use std::ops::Range;

/// The scores of `queries` rows of `q` against `count` keys: `TILE` per query.
#[inline(always)]
pub(super) fn score<A: Arch>(
    q: &[f32],
    padded: usize,
    queries: usize,
    keys: Matrix<'_>,
    count: usize,
    scores: &mut [f32],
) {
    let mut query = 0;
    while query < queries {
        let q = &q[query * padded..];
        let scores = &mut scores[query * TILE..];
        // As many sums as there are registers for.
        let most = if A::F32::LEN == 16 { 4 } else { 2 };
        query += match (queries - query).min(most) {
            4.. => (4, dots::<A, 4>(q, padded, keys, count, scores)).0,
            3 => (3, dots::<A, 3>(q, padded, keys, count, scores)).0,
            2 => (2, dots::<A, 2>(q, padded, keys, count, scores)).0,
            _ => (1, dots::<A, 1>(q, padded, keys, count, scores)).0,
        };
    }
}

/// The same for `Q` queries.
#[inline(always)]
fn dots<A: Arch, const Q: usize>(
    q: &[f32],
    padded: usize,
    keys: Matrix<'_>,
    count: usize,
    scores: &mut [f32],
) {
    let len = A::F32::LEN;
    assert!(padded.is_multiple_of(len) && q.len() >= Q * padded && count > 0);
    assert!(keys.values.len() >= (count - 1) * keys.row + padded);
    let part = |values: &'_ [f32], start: usize| -> A::F32 {
        // SAFETY: within, as just asserted: `start` is of a key below `count` or a query below
        // `Q`, plus a multiple of `len` below `padded`.
        A::F32::load(unsafe { values.get_unchecked(start..).get_unchecked(..len) })
    };
    for first in (0..count).step_by(4) {
        // Behind the last key the last one again: those scores are not looked at.
        let rows = [0, 1, 2, 3].map(|i| (first + i).min(count - 1) * keys.row);
        let mut sums = [[A::F32::splat(0.0); 4]; Q];
        let mut d = 0;
        while d < padded {
            let keys = rows.map(|row| part(keys.values, row + d));
            for (query, sums) in sums.iter_mut().enumerate() {
                let q = part(q, query * padded + d);
                for (sum, key) in sums.iter_mut().zip(keys) {
                    *sum = q.fma(key, *sum);
                }
            }
            d += len;
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
    let padded = settings.padded;
    for (query, scores) in scores.chunks_exact_mut(TILE).take(state.most.len()).enumerate() {
        let seen = seen(query);
        scores[..seen.start].fill(0.0);
        scores[seen.end..count].fill(0.0);
        let scores = &mut scores[seen];
        if scores.is_empty() {
            continue;
        }
        if let Some(cap) = settings.soft_cap {
            scores.iter_mut().for_each(|score| *score = cap * math::tanh::<A>(*score / cap));
        }
        let before = state.most[query];
        let most = fold::max::<A>(scores).max(before);
        for score in scores.iter_mut() {
            *score = math::exp::<A>(*score - most);
        }
        // Nothing has been weighed before the first tile that is seen.
        let shrink = if before == f32::NEG_INFINITY { 0.0 } else { math::exp::<A>(before - most) };
        state.most[query] = most;
        state.sums[query] = state.sums[query] * shrink + fold::sum_of::<A>(scores, |x| x);
        if shrink != 1.0 {
            let values = &mut state.values[query * padded..][..padded];
            values.iter_mut().for_each(|value| *value *= shrink);
        }
    }
}
