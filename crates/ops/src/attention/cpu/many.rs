//! Many queries, as in prefill: vectors run along the queries, so that no keys are transposed and no
//! vector is reduced. The queries are transposed once per block.

use super::state::{Settings, State};
use bessemer_simd::{Arch, math};
use std::ops::Range;

/// Queries side by side.
const LANES: usize = 16;

/// Makes scores, one row of `padded_queries` per key, into weights and brings the state up to date
/// but for the new values. `seen` says which keys a query sees, if not all see all.
///
/// `lanes` are three numbers per query to work in.
#[inline(always)]
pub(super) fn weigh<A: Arch>(
    scores: &mut [f32],
    padded_queries: usize,
    lanes: &mut [f32],
    settings: Settings,
    state: &mut State<'_>,
    seen: Option<impl Fn(usize) -> Range<usize>>,
) {
    if let Some(cap) = settings.soft_cap {
        scores.iter_mut().for_each(|score| *score = cap * math::tanh::<A>(*score / cap));
    }
    if let Some(seen) = seen {
        hide(scores, padded_queries, lanes, state.most.len(), seen);
    }
    for first in (0..padded_queries).step_by(LANES) {
        let queries = first..state.most.len().min(first + LANES);
        let mut before = [f32::NEG_INFINITY; LANES];
        before[..queries.len()].copy_from_slice(&state.most[queries.clone()]);
        let mut most = before;
        for row in scores[first..].chunks(padded_queries) {
            for (most, &score) in most.iter_mut().zip(&row[..LANES]) {
                *most = if score > *most { score } else { *most };
            }
        }
        // Where no key was seen yet all scores are -inf: any other number makes no weights of them.
        let from = most.map(|most| if most == f32::NEG_INFINITY { 0.0 } else { most });
        let mut sums = [0.0; LANES];
        for row in scores[first..].chunks_mut(padded_queries) {
            for ((score, from), sum) in row[..LANES].iter_mut().zip(from).zip(&mut sums) {
                *score = math::exp::<A>(*score - from);
                *sum += *score;
            }
        }
        let mut shrink = [0.0; LANES];
        for ((shrink, before), from) in shrink.iter_mut().zip(before).zip(from) {
            *shrink = math::exp::<A>(before - from);
        }
        for (lane, query) in queries.enumerate() {
            state.most[query] = most[lane];
            state.sums[query] = state.sums[query] * shrink[lane] + sums[lane];
            if shrink[lane] != 1.0 {
                let values = &mut state.values[query * settings.padded..][..settings.padded];
                values.iter_mut().for_each(|value| *value *= shrink[lane]);
            }
        }
    }
}

/// Makes scores of keys that a query does not see -inf.
#[inline(always)]
fn hide(
    scores: &mut [f32],
    padded_queries: usize,
    lanes: &mut [f32],
    queries: usize,
    seen: impl Fn(usize) -> Range<usize>,
) {
    // Numbers within a tile are small: as floats they compare in the lanes of the scores.
    let (starts, ends) = lanes[..2 * padded_queries].split_at_mut(padded_queries);
    for (query, (start, end)) in starts.iter_mut().zip(ends.iter_mut()).enumerate() {
        let seen = if query < queries { seen(query) } else { 0..0 };
        (*start, *end) = (seen.start as f32, seen.end as f32);
    }
    for (key, row) in scores.chunks_exact_mut(padded_queries).enumerate() {
        let key = key as f32;
        for ((score, &start), &end) in row.iter_mut().zip(&*starts).zip(&*ends) {
            *score = if key >= start && key < end { *score } else { f32::NEG_INFINITY };
        }
    }
}
