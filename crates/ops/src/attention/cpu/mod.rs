//! On the CPU: blocks of queries against tiles of keys and values, with the softmax kept up to
//! date from tile to tile, so that scores never leave the cache.
//!
//! Queries that share a head of keys are processed together: what is in the cache is widened to `f32`
//! once for all of them, or, when there are few (decoding), for four of them in registers. Then
//! the context is also split among the threads, and the partial results are combined at the end.

mod block;
mod few;
mod many;
mod multiply;
mod paged;
mod state;
mod stored;
mod tile;

use super::{Attention, Sizes};
use bessemer_core::{
    DType,
    cpu::{CpuContext, OutRows, Output, Rows},
};
use bessemer_simd::Isa;
use block::{Block, FEW};
use state::{Merge, Settings};
use std::ops::Range;
use tile::Source;

/// Keys of a tile: scores of a query then are a few vectors.
const TILE: usize = 64;
/// Queries of a block, about: enough that widening a tile for them costs little.
const QUERIES: usize = 96;
/// Keys worth a thread's while.
const SPLIT: usize = 128;

pub(super) fn attention(op: &Attention, cpu: &CpuContext<'_>) {
    let Sizes { rows, heads, kv_heads, head_size, .. } = op.sizes();
    if rows * heads * head_size == 0 {
        return;
    }
    if let Some(pages) = &op.pages {
        return paged::attention(op, pages, cpu);
    }
    let group = heads / kv_heads;
    let visible = visible(op, cpu);
    let block_rows = (QUERIES / group).clamp(1, rows);
    let blocks = rows.div_ceil(block_rows);
    let splits = splits(cpu, visible, kv_heads * blocks);

    let settings = Settings::of(op);
    let work = Work {
        q: cpu.rows(&op.q),
        k: Source::new(cpu, &op.k),
        v: Source::new(cpu, &op.v),
        out: cpu.out_rows(&op.out),
        isa: cpu.isa(),
        heads,
        visible,
        settings,
    };
    let queries = block_rows * group;
    let result = settings.result_len(queries);
    let memory = Block::memory_len(settings, queries);
    // With one split the result of a block is written at once, and this memory is its own.
    let results = Output::of(cpu.scratch::<f32>(if splits > 1 {
        kv_heads * blocks * splits * result
    } else {
        0
    }));
    // What takes less than a few microseconds is not worth waking a thread for.
    let work_of_task = longest(visible) / splits * settings.padded * (queries + 3);
    let grain = 50_000 / work_of_task.max(1) + 1;
    cpu.split_with(kv_heads * blocks * splits, grain, memory + result, |tasks, memory| {
        let (memory, own) = memory.split_at_mut(memory.len() - result);
        for task in tasks {
            let place = work.place(task / splits, blocks, block_rows, kv_heads);
            let keys = work.keys(&place.rows);
            let part = |i: usize| keys.start + keys.len() * i / splits;
            let keys = part(task % splits)..part(task % splits + 1);
            if splits == 1 {
                work.run(&place, keys, memory, own);
                work.write(&place, own);
            } else {
                // SAFETY: each task has its own part.
                let result = unsafe { results.range(task * result..(task + 1) * result) };
                work.run(&place, keys, memory, result);
            }
        }
    });
    if splits > 1 {
        for block in 0..kv_heads * blocks {
            let place = work.place(block, blocks, block_rows, kv_heads);
            let parts = block * splits * result..(block + 1) * splits * result;
            // SAFETY: all tasks are done.
            let parts = unsafe { results.range(parts) };
            let (first, others) = parts.split_at_mut(result);
            for other in others.chunks_exact_mut(result) {
                cpu.isa().run(Merge { settings, queries: place.rows.len() * group, first, other });
            }
            work.write(&place, first);
        }
    }
}

/// The keys that each row sees.
fn visible<'c>(op: &Attention, cpu: &'c CpuContext<'_>) -> &'c mut [u32] {
    let Sizes { rows, tokens, .. } = op.sizes();
    let visible = cpu.scratch::<u32>(2 * rows);
    let signed = op.positions.as_ref().is_some_and(|p| p.dtype() == DType::I32);
    let positions = op.positions.as_ref().map(|positions| crate::indices::bits(cpu, positions));
    for (row, range) in visible.chunks_exact_mut(2).enumerate() {
        let seen = positions.map_or(0..tokens, |positions| {
            let bits = positions[row];
            op.visible(if signed { i64::from(bits as i32) } else { i64::from(bits) })
        });
        range.copy_from_slice(&[seen.start as u32, seen.end as u32]);
    }
    visible
}

/// The most keys that a row sees.
fn longest(visible: &[u32]) -> usize {
    visible.chunks_exact(2).map(|range| (range[1] - range[0]) as usize).max().unwrap_or(0)
}

/// Into how many parts the context is split.
fn splits(cpu: &CpuContext<'_>, visible: &[u32], blocks: usize) -> usize {
    let wanted = (2 * cpu.threads()).div_ceil(blocks);
    if cpu.threads() == 1 { 1 } else { wanted.min(longest(visible) / SPLIT).max(1) }
}

/// What all tasks share.
struct Work<'c> {
    q: Rows<'c>,
    k: Source<'c>,
    v: Source<'c>,
    out: OutRows<'c>,
    isa: Isa,
    heads: usize,
    visible: &'c [u32],
    settings: Settings,
}

/// A block of queries: some rows of one head of keys.
struct Place {
    kv_head: usize,
    rows: Range<usize>,
}

impl Work<'_> {
    fn place(&self, block: usize, blocks: usize, block_rows: usize, kv_heads: usize) -> Place {
        let rows = self.visible.len() / 2;
        // Late rows see more keys: taken first, they don't leave one thread with work at the end.
        let start = (blocks - 1 - block / kv_heads) * block_rows;
        Place { kv_head: block % kv_heads, rows: start..rows.min(start + block_rows) }
    }

    fn seen(&self, row: usize) -> Range<usize> {
        self.visible[2 * row] as usize..self.visible[2 * row + 1] as usize
    }

    /// All keys that any of the rows sees.
    fn keys(&self, rows: &Range<usize>) -> Range<usize> {
        let seen = rows.clone().map(|row| self.seen(row)).filter(|seen| !seen.is_empty());
        let all = seen.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        all.unwrap_or(0..0)
    }

    /// The number of the row of q and out of a query.
    fn row(&self, place: &Place, query: usize) -> usize {
        let group = self.settings.group;
        let row = place.rows.start + query / group;
        row * self.heads + place.kv_head * group + query % group
    }

    /// Attends to `keys` and leaves the unfinished result in `result`.
    fn run(&self, place: &Place, keys: Range<usize>, memory: &mut [f32], result: &mut [f32]) {
        let group = self.settings.group;
        let queries = place.rows.len() * group;
        let row = |query: usize| self.row(place, query);
        let mut block =
            Block::new(self.settings, (queries, queries <= FEW), &self.q, row, memory, result);
        let mut start = keys.start;
        while start < keys.end {
            let tile = start..keys.end.min(start + TILE);
            let seen = |query: usize| {
                let seen = self.seen(place.rows.start + query / group);
                let inside = |key: usize| key.clamp(tile.start, tile.end) - tile.start;
                inside(seen.start)..inside(seen.end)
            };
            let cache = [&self.k, &self.v];
            let next = tile.end..keys.end.min(tile.end + TILE);
            self.isa.run(block.attend(cache, place.kv_head, [tile.clone(), next], &seen));
            start = tile.end;
        }
    }

    /// Writes the finished result of a block.
    fn write(&self, place: &Place, result: &mut [f32]) {
        let queries = place.rows.len() * self.settings.group;
        for query in 0..queries {
            let values = self.settings.finish(queries, query, result);
            // SAFETY: each query is in one block, and each block is written once.
            unsafe { self.out.row(self.row(place, query)) }.store(values);
        }
    }
}
