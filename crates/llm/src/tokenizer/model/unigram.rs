//! Unigram: of all ways to cut a word, the one with the highest sum of scores.

use super::{Scratch, Words};
use crate::{
    Result,
    tokenizer::{limits::Watch, model::merge::NO_TOKEN, vocab::Vocab},
};
use std::collections::VecDeque;

/// A unigram model.
#[derive(Clone)]
pub(crate) struct Unigram {
    scores: Vec<f64>,
    prefixes: Prefixes,
    unknown: Option<u32>,
    unknown_score: f64,
    /// The tokens of single bytes, for characters the vocabulary lacks.
    byte_tokens: Option<Box<[u32; 256]>>,
}

/// How much worse than the worst piece an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

impl Unigram {
    pub(crate) fn new(
        vocab: &Vocab,
        scores: Vec<f64>,
        usable: impl Fn(u32) -> bool,
        unknown: Option<u32>,
        byte_tokens: Option<Box<[u32; 256]>>,
    ) -> Unigram {
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        Unigram {
            prefixes: Prefixes::new(vocab, usable),
            unknown,
            unknown_score: least - UNKNOWN_PENALTY,
            scores,
            byte_tokens,
        }
    }
}

/// The best way to reach a position.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    from: usize,
    id: u32,
}

impl Words for Unigram {
    fn encode(
        &self,
        _: &Vocab,
        word: &str,
        _: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let bytes = word.as_bytes();
        let nowhere = Step { score: f64::NEG_INFINITY, from: usize::MAX, id: NO_TOKEN };
        let mut best = vec![nowhere; bytes.len() + 1];
        best[0].score = 0.0;
        for (at, c) in word.char_indices() {
            watch.check()?;
            let so_far = best[at].score;
            let single = at + c.len_utf8();
            let mut offer = |end: usize, step: Step| {
                if best[end].from == usize::MAX || step.score > best[end].score {
                    best[end] = step;
                }
            };
            let mut has_single = false;
            self.prefixes.walk(&bytes[at..], |len, id| {
                let end = at + len;
                let score = so_far + self.scores.get(id as usize).copied().unwrap_or(0.0);
                has_single |= end == single;
                offer(end, Step { score, from: at, id });
            });
            if !has_single {
                let score = so_far + self.unknown_score;
                offer(single, Step { score, from: at, id: NO_TOKEN });
            }
        }
        self.emit(bytes, &best, out);
        Ok(())
    }
}

impl Unigram {
    /// Walks the best way from its end; a run of unknown characters is one token, or its bytes.
    fn emit(&self, bytes: &[u8], best: &[Step], out: &mut Vec<u32>) {
        let mut pieces: VecDeque<(usize, usize, u32)> = VecDeque::new();
        let mut end = bytes.len();
        while end > 0 {
            let Step { from, id, .. } = best[end];
            match pieces.front_mut() {
                Some(next) if id == NO_TOKEN && next.2 == NO_TOKEN => next.0 = from,
                _ => pieces.push_front((from, end, id)),
            }
            end = from;
        }
        for (start, end, id) in pieces {
            if id != NO_TOKEN {
                out.push(id);
                continue;
            }
            let tokens = self
                .byte_tokens
                .as_ref()
                .map(|tokens| bytes[start..end].iter().map(|&b| tokens[usize::from(b)]));
            match tokens {
                Some(tokens) if tokens.clone().all(|id| id != NO_TOKEN) => out.extend(tokens),
                _ => out.extend(self.unknown),
            }
        }
    }
}

/// All pieces as a tree of bytes, to find those a text starts with.
#[derive(Clone)]
struct Prefixes {
    /// The edges of all nodes, each node's together and in order of their bytes.
    edges: Vec<(u8, u32)>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    count: u32,
    id: u32,
}

impl Prefixes {
    fn new(vocab: &Vocab, usable: impl Fn(u32) -> bool) -> Prefixes {
        let mut pieces: Vec<(&[u8], u32)> = vocab
            .iter()
            .enumerate()
            .map(|(id, piece)| (piece, id as u32))
            .filter(|(piece, id)| !piece.is_empty() && usable(*id))
            .collect();
        pieces.sort();
        // Of equal pieces the last one's score counts, as in a map that is filled in order.
        let mut tree = Prefixes { edges: Vec::new(), nodes: Vec::new() };
        tree.nodes.push(Node { first: 0, count: 0, id: NO_TOKEN });
        // Breadth first, so that each node's edges are neighbours.
        let mut todo = VecDeque::from([(0usize, 0..pieces.len(), 0usize)]);
        while let Some((node, range, depth)) = todo.pop_front() {
            let first = tree.edges.len() as u32;
            let mut at = range.start;
            while at < range.end && pieces[at].0.len() == depth {
                tree.nodes[node].id = pieces[at].1;
                at += 1;
            }
            while at < range.end {
                let byte = pieces[at].0[depth];
                let run = pieces[at..range.end].partition_point(|(p, _)| p[depth] == byte);
                let child = tree.nodes.len();
                tree.nodes.push(Node { first: 0, count: 0, id: NO_TOKEN });
                tree.edges.push((byte, child as u32));
                todo.push_back((child, at..at + run, depth + 1));
                at += run;
            }
            tree.nodes[node].first = first;
            tree.nodes[node].count = tree.edges.len() as u32 - first;
        }
        tree
    }

    /// Calls with the length and id of every piece that `text` starts with, shortest first.
    fn walk(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let mut node = self.nodes[0];
        for (i, byte) in text.iter().enumerate() {
            let edges = &self.edges[node.first as usize..(node.first + node.count) as usize];
            let Ok(edge) = edges.binary_search_by_key(byte, |(b, _)| *b) else {
                return;
            };
            node = self.nodes[edges[edge].1 as usize];
            if node.id != NO_TOKEN {
                found(i + 1, node.id);
            }
        }
    }
}
