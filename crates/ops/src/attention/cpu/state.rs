//! The unfinished result of a block of queries.

use crate::Attention;
use bessemer_simd::{Arch, Kernel, math};

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

/// Per query the largest score so far, the sum of the weights relative to it, and the values
/// weighted likewise.
pub(super) struct State<'a> {
    pub(super) most: &'a mut [f32],
    pub(super) sums: &'a mut [f32],
    pub(super) values: &'a mut [f32],
}

impl Settings {
    pub(super) fn of(op: &Attention) -> Settings {
        let sizes = op.sizes();
        Settings {
            head_size: sizes.head_size,
            padded: sizes.head_size.next_multiple_of(32),
            group: sizes.heads / sizes.kv_heads,
            scale: op.scale,
            soft_cap: op.soft_cap,
        }
    }

    /// Floats that the result of a block takes.
    pub(super) fn result_len(&self, queries: usize) -> usize {
        queries * (2 + self.padded)
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
    /// The parts of a result.
    pub(super) fn of(settings: Settings, queries: usize, result: &'a mut [f32]) -> State<'a> {
        let (most, result) = result.split_at_mut(queries);
        let (sums, result) = result.split_at_mut(queries);
        State { most, sums, values: &mut result[..queries * settings.padded] }
    }

    /// The result before the first key.
    pub(super) fn start(settings: Settings, queries: usize, result: &'a mut [f32]) -> State<'a> {
        let state = State::of(settings, queries, result);
        state.most.fill(f32::NEG_INFINITY);
        state.sums.fill(0.0);
        state.values.fill(0.0);
        state
    }
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
