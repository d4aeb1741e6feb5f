//! Rows of several texts, whose keys and values are in pages: each is summed as if it were alone.
//!
//! So the pieces that keys are taken in depend on nothing but their positions: tiles and parts begin at
//! multiples of their lengths, and a query never shares a vector with another. Rows of one text that follow
//! each other still read what they see together.

use super::{
    Attention, QUERIES, Sizes, TILE,
    block::Block,
    longest,
    state::{Merge, Settings},
    tile::Source,
    visible,
};
use crate::{attention::Pages, indices};
use bessemer_core::cpu::{CpuContext, OutRows, Output, Rows};
use bessemer_simd::Isa;
use std::ops::Range;

/// Keys whose results are summed before they meet those of others: a multiple of a tile.
const PART: usize = 8 * TILE;

pub(super) fn attention(op: &Attention, pages: &Pages, cpu: &CpuContext<'_>) {
    let Sizes { heads, kv_heads, .. } = op.sizes();
    let settings = Settings::of(op);
    let table = Table::new(op, pages, cpu);
    let visible = visible(op, cpu);
    for (seen, &text) in visible.chunks_exact_mut(2).zip(table.texts) {
        if text as usize >= table.count {
            seen.fill(0);
        }
    }
    let blocks = Blocks::new(cpu, settings, kv_heads, visible, &table);
    let work = Work {
        q: cpu.rows(&op.q),
        k: Source::new(cpu, &op.k),
        v: Source::new(cpu, &op.v),
        out: cpu.out_rows(&op.out),
        isa: cpu.isa(),
        heads,
        kv_heads,
        table,
        visible,
        settings,
    };
    let results = Output::of(cpu.scratch::<f32>(blocks.floats));
    let memory = Block::memory_len(settings, blocks.most_rows * settings.group);
    // What takes less than a few microseconds is not worth waking a thread for.
    let work_of_task = longest(visible).min(PART) * settings.padded * (settings.group + 3);
    let grain = 50_000 / work_of_task.max(1) + 1;
    cpu.split_with(blocks.tasks, grain, memory, |tasks, memory| {
        for task in tasks {
            let (block, kv_head, part) = blocks.task(task, kv_heads);
            // SAFETY: each task has its own part.
            let result = unsafe { results.range(block.result(settings, kv_head, part)) };
            work.run(&block, kv_head, part, memory, result);
            if block.parts == 1 {
                work.write(&block, kv_head, result);
            }
        }
    });
    if !blocks.all.iter().any(|block| block.parts > 1) {
        return;
    }
    cpu.split(blocks.all.len() * kv_heads, 4, |heads| {
        for number in heads {
            let (block, kv_head) = (&blocks.all[number / kv_heads], number % kv_heads);
            if block.parts > 1 {
                // SAFETY: all parts are done, and each head of a block belongs to one task.
                let parts = unsafe { results.range(block.results(settings, kv_head)) };
                work.join(block, kv_head, parts);
            }
        }
    });
}

/// Where the pages of each text are.
struct Table<'c> {
    numbers: &'c [u32],
    /// Whose each row is.
    texts: &'c [u32],
    /// Texts, pages of each, pages of the cache, and tokens of a page.
    count: usize,
    most: usize,
    pages: usize,
    len: usize,
}

impl<'c> Table<'c> {
    fn new(op: &Attention, pages: &Pages, cpu: &'c CpuContext<'_>) -> Table<'c> {
        Table {
            numbers: indices::bits(cpu, &pages.table),
            texts: indices::bits(cpu, &pages.texts),
            count: pages.table.shape()[0],
            most: pages.table.shape()[1],
            pages: op.k.shape()[1] / pages.len,
            len: pages.len,
        }
    }

    /// Where a token is, of which there is room for in the text.
    fn slot(&self, text: usize, token: usize) -> usize {
        let page = self.numbers[text * self.most + token / self.len] as usize;
        page.min(self.pages - 1) * self.len + token % self.len
    }

    /// The end of the tile that a token is in: tiles neither reach over pages nor over multiples of their
    /// length.
    fn tile_end(&self, token: usize) -> usize {
        let end = |len: usize| (token / len + 1) * len;
        end(TILE).min(end(self.len))
    }
}

/// Rows of one text that follow each other.
#[derive(Clone)]
struct Rowset {
    rows: Range<usize>,
    /// The parts of the keys that any of them sees: the first, and how many.
    first: usize,
    parts: usize,
    /// Where the results of the first part of its first head are.
    place: usize,
    /// Its first task.
    task: usize,
}

impl Rowset {
    fn queries(&self, settings: Settings) -> usize {
        self.rows.len() * settings.group
    }

    /// Where the results of all parts of a head are.
    fn results(&self, settings: Settings, kv_head: usize) -> Range<usize> {
        let len = self.parts * settings.result_len(self.queries(settings));
        self.place + kv_head * len..self.place + (kv_head + 1) * len
    }

    /// Where the result of a part is.
    fn result(&self, settings: Settings, kv_head: usize, part: usize) -> Range<usize> {
        let len = settings.result_len(self.queries(settings));
        let start = self.results(settings, kv_head).start + part * len;
        start..start + len
    }
}

/// All rows, in blocks.
struct Blocks {
    all: Vec<Rowset>,
    tasks: usize,
    floats: usize,
    most_rows: usize,
}

impl Blocks {
    fn new(
        cpu: &CpuContext<'_>,
        settings: Settings,
        kv_heads: usize,
        visible: &[u32],
        table: &Table<'_>,
    ) -> Blocks {
        let rows = visible.len() / 2;
        let seen = |row: usize| visible[2 * row] as usize..visible[2 * row + 1] as usize;
        // Fewer than fit in a block if threads would be idle.
        let even = (rows * kv_heads).div_ceil(4 * cpu.threads());
        let most = (QUERIES / settings.group).min(even).max(1);
        let mut blocks = Blocks { all: Vec::new(), tasks: 0, floats: 0, most_rows: 1 };
        let mut start = 0;
        while start < rows {
            let follows = |row: usize| {
                table.texts[row] == table.texts[start]
                    && seen(row).end == seen(row - 1).end + 1
                    && !seen(start).is_empty()
            };
            let mut end = start + 1;
            while end < rows && end - start < most && follows(end) {
                end += 1;
            }
            // Positions grow, so the first row sees the first key and the last row the last.
            let keys = seen(start).start..seen(end - 1).end;
            let first = keys.start / PART;
            let parts = if keys.is_empty() { 1 } else { keys.end.div_ceil(PART) - first };
            let (place, task) = (blocks.floats, blocks.tasks);
            let block = Rowset { rows: start..end, first, parts, place, task };
            blocks.floats += kv_heads * block.results(settings, 0).len();
            blocks.tasks += kv_heads * parts;
            blocks.most_rows = blocks.most_rows.max(end - start);
            blocks.all.push(block);
            start = end;
        }
        blocks
    }

    /// The block, the head and the part of a task.
    fn task(&self, task: usize, kv_heads: usize) -> (Rowset, usize, usize) {
        let number = self.all.partition_point(|block| block.task <= task) - 1;
        let block = self.all[number].clone();
        let own = task - block.task;
        debug_assert!(own < kv_heads * block.parts);
        let (kv_head, part) = (own / block.parts, own % block.parts);
        (block, kv_head, part)
    }
}

/// What all tasks share.
struct Work<'c> {
    q: Rows<'c>,
    k: Source<'c>,
    v: Source<'c>,
    out: OutRows<'c>,
    isa: Isa,
    heads: usize,
    kv_heads: usize,
    table: Table<'c>,
    visible: &'c [u32],
    settings: Settings,
}

impl Work<'_> {
    fn seen(&self, row: usize) -> Range<usize> {
        self.visible[2 * row] as usize..self.visible[2 * row + 1] as usize
    }

    /// The number of the row of q and out of a query.
    fn row(&self, block: &Rowset, kv_head: usize, query: usize) -> usize {
        let group = self.settings.group;
        debug_assert!(kv_head < self.kv_heads);
        (block.rows.start + query / group) * self.heads + kv_head * group + query % group
    }

    /// Attends to a part of the keys and leaves the unfinished result in `result`.
    fn run(
        &self,
        block: &Rowset,
        kv_head: usize,
        part: usize,
        memory: &mut [f32],
        result: &mut [f32],
    ) {
        let (group, queries) = (self.settings.group, block.queries(self.settings));
        let row = |query: usize| self.row(block, kv_head, query);
        let mut at_work = Block::new(self.settings, (queries, true), &self.q, row, memory, result);
        let all = self.seen(block.rows.start).start..self.seen(block.rows.end - 1).end;
        let text = self.table.texts[block.rows.start] as usize;
        let start = (block.first + part) * PART;
        let end = all.end.min(start + PART);
        // A tile is begun where it would be for any row: what is before the first key is not seen.
        let mut token = match start < all.start {
            true => self.first_of_tile(all.start, start),
            false => start,
        };
        while token < end && !all.is_empty() {
            let tile_end = self.table.tile_end(token).min(end);
            let slot = |token: usize| self.table.slot(text, token);
            let tile = slot(token)..slot(token) + (tile_end - token);
            let next = match tile_end < end {
                true => {
                    let count = self.table.tile_end(tile_end).min(end) - tile_end;
                    slot(tile_end)..slot(tile_end) + count
                }
                false => 0..0,
            };
            let seen = |query: usize| {
                let seen = self.seen(block.rows.start + query / group);
                let inside = |key: usize| key.clamp(token, tile_end) - token;
                inside(seen.start)..inside(seen.end)
            };
            let cache = [&self.k, &self.v];
            self.isa.run(at_work.attend(cache, kv_head, [tile, next], &seen));
            token = tile_end;
        }
    }

    /// Where the tile begins that a token is in, at or behind `start`.
    fn first_of_tile(&self, token: usize, start: usize) -> usize {
        let of = |len: usize| token / len * len;
        of(TILE).max(of(self.table.len)).max(start)
    }

    /// Puts the results of the parts together and writes them.
    fn join(&self, block: &Rowset, kv_head: usize, parts: &mut [f32]) {
        let (settings, queries) = (self.settings, block.queries(self.settings));
        let (first, others) = parts.split_at_mut(settings.result_len(queries));
        for other in others.chunks_exact_mut(settings.result_len(queries)) {
            self.isa.run(Merge { settings, queries, first, other });
        }
        self.write(block, kv_head, first);
    }

    /// Writes the finished result of a block.
    fn write(&self, block: &Rowset, kv_head: usize, result: &mut [f32]) {
        let queries = block.queries(self.settings);
        for query in 0..queries {
            let values = self.settings.finish(queries, query, result);
            // SAFETY: each query is in one block, and each block is written once.
            unsafe { self.out.row(self.row(block, kv_head, query)) }.store(values);
        }
    }
}
