//! Unigram: of all ways to cut a word, the one with the highest sum of scores.

use super::{Scratch, Words};
use crate::{
    Result,
    tokenizer::{limits::Watch, model::merge::NO_TOKEN, trie::Trie, vocab::Vocab},
};
use std::collections::VecDeque;

/// A unigram model.
#[derive(Clone)]
pub(crate) struct Unigram {
    scores: Vec<f64>,
    pieces: Trie,
    unknown: Option<u32>,
    unknown_score: f64,
    /// The tokens of single bytes, for characters the vocabulary lacks.
    byte_tokens: Option<Box<[u32; 256]>>,
}

/// How much worse than the worst piece an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

impl Unigram {
    /// A model of the pieces that are `usable`; the error says what does not fit.
    pub(crate) fn new(
        vocab: &Vocab,
        scores: Vec<f64>,
        usable: impl Fn(u32) -> bool,
        unknown: Option<u32>,
        byte_tokens: Option<Box<[u32; 256]>>,
    ) -> Result<Unigram, String> {
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let pieces = vocab.iter().zip(0..).filter(|(_, id)| usable(*id));
        Ok(Unigram {
            pieces: Trie::new(pieces)?,
            unknown,
            unknown_score: least - UNKNOWN_PENALTY,
            scores,
            byte_tokens,
        })
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
            self.pieces.walk(&bytes[at..], |len, id| {
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
