//! Merging neighbours, best first: what BPE by rank and SentencePiece by score share.

use crate::{Result, tokenizer::limits::Watch};
use std::{cmp::Reverse, collections::BinaryHeap};

/// A stretch of the word that is one token so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    /// Its token; [`NO_TOKEN`] where the vocabulary has none.
    pub(crate) id: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

pub(crate) const NO_TOKEN: u32 = u32::MAX;

/// Which neighbours may merge.
pub(crate) trait Rules {
    /// How urgent it is to merge these two neighbours, lowest first, and the token they make.
    fn merge(&self, left: Symbol, right: Symbol) -> Option<(u32, u32)>;
}

/// Room for the work, kept between words.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) symbols: Vec<Symbol>,
    ranks: Vec<u32>,
    links: Vec<Link>,
    heap: BinaryHeap<Reverse<u64>>,
}

#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
}

const END: u32 = u32::MAX;

/// Up to this many symbols, looking at all ranks each time is faster than keeping order.
const FEW: usize = 48;

/// Merges `scratch.symbols` until no rule applies: always the most urgent pair, of equals the
/// leftmost.
pub(crate) fn merge(rules: &impl Rules, scratch: &mut Scratch, watch: &Watch<'_>) -> Result<()> {
    match scratch.symbols.len() {
        0 | 1 => Ok(()),
        n if n <= FEW => {
            merge_few(rules, scratch);
            Ok(())
        }
        _ => merge_many(rules, scratch, watch),
    }
}

fn merge_few(rules: &impl Rules, scratch: &mut Scratch) {
    let Scratch { symbols, ranks, .. } = scratch;
    const NEVER: u32 = u32::MAX;
    let rank = |pair: &[Symbol]| rules.merge(pair[0], pair[1]).map_or(NEVER, |(rank, _)| rank);
    ranks.clear();
    ranks.extend(symbols.windows(2).map(rank));
    loop {
        let best = ranks.iter().enumerate().min_by_key(|(_, rank)| **rank);
        let Some((at, &best)) = best else { return };
        let merged = rules.merge(symbols[at], symbols[at + 1]);
        let Some((_, id)) = merged.filter(|_| best != NEVER) else {
            return;
        };
        symbols[at].id = id;
        symbols[at].end = symbols[at + 1].end;
        symbols.remove(at + 1);
        ranks.remove(at);
        if at > 0 {
            ranks[at - 1] = rank(&symbols[at - 1..=at]);
        }
        if at < ranks.len() {
            ranks[at] = rank(&symbols[at..at + 2]);
        }
    }
}

/// A heap of candidates over a linked list. Candidates that have gone stale are recognised when
/// they come up: their pair no longer has the rank they were noted with.
fn merge_many(rules: &impl Rules, scratch: &mut Scratch, watch: &Watch<'_>) -> Result<()> {
    let Scratch { symbols, links, heap, .. } = scratch;
    let count = symbols.len() as u32;
    links.clear();
    links.extend((0..count).map(|i| Link {
        previous: i.wrapping_sub(1),
        next: if i + 1 < count { i + 1 } else { END },
    }));
    let candidate = |symbols: &[Symbol], left: u32, right: u32| {
        let (rank, _) = rules.merge(symbols[left as usize], symbols[right as usize])?;
        Some(Reverse(u64::from(rank) << 32 | u64::from(left)))
    };
    heap.clear();
    heap.extend((1..count).filter_map(|i| candidate(symbols, i - 1, i)));
    while let Some(Reverse(key)) = heap.pop() {
        watch.check()?;
        let (rank, left) = ((key >> 32) as u32, key as u32);
        let right = links[left as usize].next;
        // A symbol that was merged away has an end before its start.
        if right == END || symbols[left as usize].end < symbols[left as usize].start {
            continue;
        }
        let (l, r) = (symbols[left as usize], symbols[right as usize]);
        let Some((_, id)) = rules.merge(l, r).filter(|(now, _)| *now == rank) else {
            continue;
        };
        symbols[left as usize] = Symbol { id, start: l.start, end: r.end };
        symbols[right as usize] = Symbol { id: NO_TOKEN, start: 1, end: 0 };
        let Link { previous, .. } = links[left as usize];
        let Link { next, .. } = links[right as usize];
        links[left as usize].next = next;
        if next != END {
            links[next as usize].previous = left;
            heap.extend(candidate(symbols, left, next));
        }
        if previous != END {
            heap.extend(candidate(symbols, previous, left));
        }
    }
    symbols.retain(|symbol| symbol.end >= symbol.start);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs merge as their ids say, so that many chains of merges are possible.
    struct Arithmetic;

    impl Rules for Arithmetic {
        fn merge(&self, left: Symbol, right: Symbol) -> Option<(u32, u32)> {
            let mixed = left.id.wrapping_mul(31).wrapping_add(right.id.wrapping_mul(17)) % 23;
            (mixed < 15).then_some((mixed % 7, mixed))
        }
    }

    proptest! {
        #[test]
        fn both_ways_agree(ids in proptest::collection::vec(0u32..8, 2..200)) {
            let symbols: Vec<Symbol> = ids.iter().enumerate()
                .map(|(i, &id)| Symbol { id, start: i as u32, end: i as u32 + 1 })
                .collect();
            let run = |way: fn(&Arithmetic, &mut Scratch)| {
                let mut scratch = Scratch { symbols: symbols.clone(), ..Scratch::default() };
                way(&Arithmetic, &mut scratch);
                scratch.symbols.iter().map(|s| (s.id, s.start, s.end)).collect::<Vec<_>>()
            };
            prop_assert_eq!(
                run(merge_few),
                run(|rules, scratch| merge_many(rules, scratch, &Watch::new(0, None)).unwrap())
            );
        }
    }
}
