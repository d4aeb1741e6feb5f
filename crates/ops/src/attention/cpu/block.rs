//! A block of queries, tile after tile.

use super::{
    TILE, few, many,
    multiply::{Matrix, multiply},
    state::{Settings, State},
    stored::{Rows as StoredRows, Tokens},
    tile::{Source, Tile},
};
use bessemer_core::cpu::Rows;
use bessemer_simd::{Arch, Kernel};
use std::ops::Range;

/// Up to so many queries, scores are dot products of their own.
pub(super) const FEW: usize = 8;

/// What a block works in.
struct Memory<'a> {
    /// A row per query; or, of many, a column.
    q: &'a mut [f32],
    keys: &'a mut [f32],
    values: &'a mut [f32],
    scores: &'a mut [f32],
    lanes: &'a mut [f32],
}

/// A block of queries at work.
pub(super) struct Block<'a> {
    settings: Settings,
    queries: usize,
    /// Whether queries are rows, for dot products of their own; else they are columns.
    by_rows: bool,
    memory: Memory<'a>,
    state: State<'a>,
}

/// Queries rounded up to whole vectors.
fn padded_queries(queries: usize) -> usize {
    queries.next_multiple_of(16)
}

impl<'a> Block<'a> {
    /// Floats that a block works in.
    pub(super) fn memory_len(settings: Settings, queries: usize) -> usize {
        padded_queries(queries) * (settings.padded + TILE + 2)
            + 2 * TILE * settings.padded
            + settings.padded
    }

    /// A block of `queries`, which are the rows `row(query)` of `q`. By rows, what comes of a query does not
    /// depend on the others.
    pub(super) fn new(
        settings: Settings,
        (queries, by_rows): (usize, bool),
        q: &Rows<'_>,
        row: impl Fn(usize) -> usize,
        memory: &'a mut [f32],
        result: &'a mut [f32],
    ) -> Block<'a> {
        let Settings { head_size, padded, scale, .. } = settings;
        let wide = padded_queries(queries);
        let (turned, memory) = memory.split_at_mut(wide * padded);
        let (keys, memory) = memory.split_at_mut(TILE * padded);
        let (values, memory) = memory.split_at_mut(TILE * padded);
        let (scores, memory) = memory.split_at_mut(wide * TILE);
        let (lanes, memory) = memory.split_at_mut(2 * wide);
        let one = &mut memory[..head_size];
        turned.fill(0.0);
        for query in 0..queries {
            q.load(row(query), one);
            if by_rows {
                let places = &mut turned[query * padded..];
                one.iter().zip(places).for_each(|(x, place)| *place = x * scale);
            } else {
                let places = turned[query..].iter_mut().step_by(wide);
                one.iter().zip(places).for_each(|(x, place)| *place = x * scale);
            }
        }
        let memory = Memory { q: turned, keys, values, scores, lanes };
        Block { settings, queries, by_rows, memory, state: State::start(settings, queries, result) }
    }

    /// Attends to some tokens of a head, one at least and at most a tile; query `i` sees `seen(i)`
    /// of those. Afterwards it will be `next`'s turn.
    pub(super) fn attend<'b, S: Fn(usize) -> Range<usize>>(
        &'b mut self,
        [keys, values]: [&'b Source<'b>; 2],
        head: usize,
        [tokens, next]: [Range<usize>; 2],
        seen: &'b S,
    ) -> Attend<'b, 'a, S> {
        Attend { block: self, keys, values, head, tokens, next, seen }
    }
}

/// See [`Block::attend`].
pub(super) struct Attend<'b, 'a, S> {
    block: &'b mut Block<'a>,
    keys: &'b Source<'b>,
    values: &'b Source<'b>,
    head: usize,
    tokens: Range<usize>,
    next: Range<usize>,
    seen: &'b S,
}

impl<S: Fn(usize) -> Range<usize>> Kernel for Attend<'_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        if !self.block.by_rows {
            return self.many::<A>();
        }
        let padded = self.block.settings.padded;
        let (tokens, next) = (self.tokens.clone(), self.next.clone());
        // Behind the last tile nothing comes next: the same again.
        let next = if next.is_empty() { tokens.clone() } else { next };
        let tiles = (
            self.keys.stored(self.head, tokens.clone(), padded),
            self.values.stored(self.head, tokens, padded),
            self.keys.stored(self.head, next, padded),
        );
        match tiles {
            (Some(Tile::F32(keys)), Some(Tile::F32(values)), Some(Tile::F32(next))) => {
                self.few::<A>(keys, values, next);
            }
            (Some(Tile::F16(keys)), Some(Tile::F16(values)), Some(Tile::F16(next))) => {
                self.few::<A>(keys, values, next);
            }
            (Some(Tile::Q8(keys)), Some(Tile::Q8(values)), Some(Tile::Q8(next))) => {
                self.few::<A>(keys, values, next);
            }
            _ => self.few_widened::<A>(),
        }
    }
}

impl<S: Fn(usize) -> Range<usize>> Attend<'_, '_, S> {
    /// For few queries, from the cache itself.
    #[inline(always)]
    fn few<A: Arch>(self, keys: impl Tokens, values: impl Tokens, next: impl Tokens) {
        let Block { settings, queries, memory, state, .. } = self.block;
        let (padded, scores) = (settings.padded, &mut *memory.scores);
        let keys = keys.ready::<A>(memory.keys);
        few::score::<A>(memory.q, padded, *queries, keys, scores, values);
        few::weigh::<A>(scores, self.tokens.len(), *settings, state, self.seen);
        let values = values.ready::<A>(memory.values);
        few::add_values::<A>(scores, *queries, values, state.values, padded, next);
    }

    /// For few queries, where the cache has other rows than the queries.
    #[inline(always)]
    fn few_widened<A: Arch>(self) {
        let Block { settings, queries, memory, state, .. } = self.block;
        let (padded, count) = (settings.padded, self.tokens.len());
        let keys = self.keys.tile::<A>(self.head, self.tokens.clone(), memory.keys, padded);
        let keys = StoredRows::new(keys.values, keys.row, count, padded, padded);
        let values = self.values.tile::<A>(self.head, self.tokens, memory.values, padded);
        let values = StoredRows::new(values.values, values.row, count, padded, padded);
        few::score::<A>(memory.q, padded, *queries, keys, memory.scores, values);
        few::weigh::<A>(memory.scores, count, *settings, state, self.seen);
        few::add_values::<A>(memory.scores, *queries, values, state.values, padded, keys);
    }

    /// For many queries.
    #[inline(always)]
    fn many<A: Arch>(self) {
        let Block { settings, queries, memory, state, .. } = self.block;
        let (padded, queries, count) = (settings.padded, *queries, self.tokens.len());
        let wide = padded_queries(queries);
        let keys = self.keys.tile::<A>(self.head, self.tokens.clone(), memory.keys, padded);
        let q = Matrix { values: memory.q, row: wide, column: 1 };
        let sizes = [count, settings.head_size, wide];
        multiply::<A, false>(keys, q, memory.scores, wide, sizes);
        let scores = &mut memory.scores[..count * wide];
        let all = (0..queries).all(|query| (self.seen)(query) == (0..count));
        let seen = if all { None } else { Some(self.seen) };
        many::weigh::<A>(scores, wide, memory.lanes, *settings, state, seen);
        let weights = Matrix { values: memory.scores, row: 1, column: wide };
        let values = self.values.tile::<A>(self.head, self.tokens, memory.values, padded);
        multiply::<A, true>(weights, values, state.values, padded, [queries, count, padded]);
    }
}
