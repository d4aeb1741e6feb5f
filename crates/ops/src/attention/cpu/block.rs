//! A block of queries, tile after tile.

use super::{
    TILE,
    multiply::{Matrix, multiply_add},
};
use bessemer_simd::{Arch, Kernel, Lanes, fold, math};
use std::ops::Range;

/// What is the same for all blocks.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) head_size: usize,
    /// `head_size` rounded up to whole vectors.
    pub(super) padded: usize,
    /// Queries that share a row.
    pub(super) group: usize,
    pub(super) scale: f32,
    pub(super) soft_cap: Option<f32>,
}

/// From how many queries on keys are turned, to have vectors of scores.
const TURN: usize = 12;

/// The unfinished result of a block: per query the largest score so far, the sum of the weights
/// relative to it, and the values weighted likewise.
struct State<'a> {
    most: &'a mut [f32],
    sums: &'a mut [f32],
    values: &'a mut [f32],
}

/// What a block works in.
pub(super) struct Memory<'a> {
    pub(super) q: &'a mut [f32],
    keys: &'a mut [f32],
    turned: &'a mut [f32],
    values: &'a mut [f32],
    scores: &'a mut [f32],
}

/// A block of queries at work.
pub(super) struct Block<'a> {
    settings: Settings,
    queries: usize,
    memory: Memory<'a>,
    state: State<'a>,
}

impl Settings {
    /// Floats that the result of a block takes.
    pub(super) fn result_len(&self, queries: usize) -> usize {
        queries * (2 + self.padded)
    }

    /// Floats that a block works in.
    pub(super) fn memory_len(&self, queries: usize) -> usize {
        queries * (self.padded + TILE) + 3 * TILE * self.padded
    }

    /// The finished values of a query.
    pub(super) fn finish<'a>(
        &self,
        queries: usize,
        query: usize,
        result: &'a mut [f32],
    ) -> &'a [f32] {
        let State { sums, values, .. } = State::of(*self, queries, result);
        let values = &mut values[query * self.padded..][..self.head_size];
        // A query that saw no key has no sum: its values are zeros.
        if sums[query] != 0.0 {
            let share = 1.0 / sums[query];
            values.iter_mut().for_each(|value| *value *= share);
        }
        values
    }
}

impl<'a> State<'a> {
    fn of(settings: Settings, queries: usize, result: &'a mut [f32]) -> State<'a> {
        let (most, result) = result.split_at_mut(queries);
        let (sums, result) = result.split_at_mut(queries);
        State { most, sums, values: &mut result[..queries * settings.padded] }
    }
}

impl<'a> Memory<'a> {
    pub(super) fn new(settings: Settings, queries: usize, memory: &'a mut [f32]) -> Memory<'a> {
        let Settings { padded, .. } = settings;
        let (q, memory) = memory.split_at_mut(queries * padded);
        let (keys, memory) = memory.split_at_mut(TILE * padded);
        let (turned, memory) = memory.split_at_mut(TILE * padded);
        let (values, memory) = memory.split_at_mut(TILE * padded);
        Memory { q, keys, turned, values, scores: &mut memory[..queries * TILE] }
    }
}

impl<'a> Block<'a> {
    pub(super) fn new(
        settings: Settings,
        queries: usize,
        memory: Memory<'a>,
        result: &'a mut [f32],
    ) -> Block<'a> {
        let state = State::of(settings, queries, result);
        state.most.fill(f32::NEG_INFINITY);
        state.sums.fill(0.0);
        state.values.fill(0.0);
        Block { settings, queries, memory, state }
    }

    /// Where the keys of a tile go, and the step between them.
    pub(super) fn keys(&mut self) -> (&mut [f32], usize) {
        (self.memory.keys, self.settings.padded)
    }

    /// Where the values of a tile go, and the step between them.
    pub(super) fn values(&mut self) -> (&mut [f32], usize) {
        (self.memory.values, self.settings.padded)
    }

    /// Attends to the `keys` of the tile, of which each query sees some.
    pub(super) fn attend<'b, S: Fn(usize) -> Range<usize>>(
        &'b mut self,
        keys: usize,
        seen: &'b S,
    ) -> Attend<'b, 'a, S> {
        Attend { block: self, keys, seen }
    }
}

/// See [`Block::attend`].
pub(super) struct Attend<'b, 'a, S> {
    block: &'b mut Block<'a>,
    keys: usize,
    seen: &'b S,
}

impl<S: Fn(usize) -> Range<usize>> Kernel for Attend<'_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Block { settings, queries, memory, state } = self.block;
        let (padded, queries) = (settings.padded, *queries);
        if queries < TURN {
            score_each::<A>(memory, padded, queries, self.keys);
        } else {
            score_turned::<A>(memory, *settings, queries, self.keys);
        }
        for query in 0..queries {
            let scores = &mut memory.scores[query * TILE..][..self.keys];
            let seen = (self.seen)(query);
            scores[..seen.start].fill(0.0);
            scores[seen.end..].fill(0.0);
            let scores = &mut scores[seen];
            if scores.is_empty() {
                continue;
            }
            let before = state.most[query];
            let most = scale_and_cap::<A>(scores, settings).max(before);
            for score in scores.iter_mut() {
                *score = math::exp::<A>(*score - most);
            }
            // Nothing has been weighed before the first tile that is seen.
            let shrink =
                if before == f32::NEG_INFINITY { 0.0 } else { math::exp::<A>(before - most) };
            state.most[query] = most;
            state.sums[query] = state.sums[query] * shrink + fold::sum_of::<A>(scores, |x| x);
            if shrink != 1.0 {
                let values = &mut state.values[query * padded..][..padded];
                values.iter_mut().for_each(|value| *value *= shrink);
            }
        }
        multiply_add::<A>(
            Matrix { values: memory.scores, step: TILE },
            Matrix { values: memory.values, step: padded },
            state.values,
            padded,
            [queries, self.keys, padded],
        );
    }
}

/// Scores as dot products, for few queries.
#[inline(always)]
fn score_each<A: Arch>(memory: &mut Memory<'_>, padded: usize, queries: usize, keys: usize) {
    let len = A::F32::LEN;
    for (key, k) in memory.keys.chunks_exact(padded).take(keys).enumerate() {
        for (query, q) in memory.q.chunks_exact(padded).take(queries).enumerate() {
            let mut sums = [A::F32::splat(0.0); 2];
            for (i, (q, k)) in q.chunks_exact(len).zip(k.chunks_exact(len)).enumerate() {
                sums[i % 2] = A::F32::load(q).fma(A::F32::load(k), sums[i % 2]);
            }
            memory.scores[query * TILE + key] = sums[0].add(sums[1]).sum();
        }
    }
}

/// Scores as a matrix product, for many: keys are turned so that vectors run along them.
#[inline(always)]
fn score_turned<A: Arch>(memory: &mut Memory<'_>, settings: Settings, queries: usize, keys: usize) {
    let padded = settings.padded;
    for (d, turned) in memory.turned.chunks_exact_mut(TILE).take(settings.head_size).enumerate() {
        for (key, turned) in turned[..keys].iter_mut().enumerate() {
            *turned = memory.keys[key * padded + d];
        }
        turned[keys..].fill(0.0);
    }
    memory.scores[..queries * TILE].fill(0.0);
    multiply_add::<A>(
        Matrix { values: memory.q, step: padded },
        Matrix { values: memory.turned, step: TILE },
        memory.scores,
        TILE,
        [queries, settings.head_size, TILE],
    );
}

/// Scales and caps scores and finds the largest.
#[inline(always)]
fn scale_and_cap<A: Arch>(scores: &mut [f32], settings: &Settings) -> f32 {
    scores.iter_mut().for_each(|score| *score *= settings.scale);
    if let Some(cap) = settings.soft_cap {
        for score in scores.iter_mut() {
            // tanh(x) = 1 - 2 / (exp(2x) + 1)
            *score = cap * (1.0 - 2.0 / (math::exp::<A>(*score * (2.0 / cap)) + 1.0));
        }
    }
    fold::max::<A>(scores)
}

/// Puts the result of other keys to that of the first.
pub(super) struct Merge<'a> {
    pub(super) settings: Settings,
    pub(super) queries: usize,
    pub(super) first: &'a mut [f32],
    pub(super) other: &'a mut [f32],
}

impl Kernel for Merge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let padded = self.settings.padded;
        let first = State::of(self.settings, self.queries, self.first);
        let other = State::of(self.settings, self.queries, self.other);
        for query in 0..self.queries {
            let most = first.most[query].max(other.most[query]);
            let share = |most_of: f32| {
                if most_of == f32::NEG_INFINITY { 0.0 } else { math::exp::<A>(most_of - most) }
            };
            let shares = [share(first.most[query]), share(other.most[query])];
            first.most[query] = most;
            first.sums[query] = first.sums[query] * shares[0] + other.sums[query] * shares[1];
            let values = first.values[query * padded..][..padded].iter_mut();
            for (value, other) in values.zip(&other.values[query * padded..]) {
                *value = *value * shares[0] + other * shares[1];
            }
        }
    }
}
