//! SentencePiece's BPE: neighbours merge if the vocabulary has them together, best score first.

use super::{
    Words,
    merge::{self, NO_TOKEN, Rules, Scratch, Symbol},
};
use crate::{
    Result,
    tokenizer::{limits::Watch, vocab::Vocab},
};

/// A SentencePiece BPE model.
#[derive(Clone)]
pub(crate) struct Spm {
    /// How urgent making each token is: its score, turned into an order. [`NEVER`] for tokens
    /// that text cannot become.
    ranks: Vec<u32>,
    /// The tokens of single bytes, for characters the vocabulary lacks.
    byte_tokens: Box<[u32; 256]>,
    unknown: Option<u32>,
}

const NEVER: u32 = u32::MAX;

struct ByText<'a> {
    word: &'a [u8],
    vocab: &'a Vocab,
    ranks: &'a [u32],
}

impl Rules for ByText<'_> {
    fn merge(&self, left: Symbol, right: Symbol) -> Option<(u32, u32)> {
        let id = self.vocab.id(&self.word[left.start as usize..right.end as usize])?;
        let rank = *self.ranks.get(id as usize)?;
        (rank != NEVER).then_some((rank, id))
    }
}

impl Spm {
    /// `usable` says which tokens text can become.
    pub(crate) fn new(
        scores: &[f32],
        usable: impl Fn(u32) -> bool,
        byte_tokens: Box<[u32; 256]>,
        unknown: Option<u32>,
    ) -> Spm {
        let rank = |(id, &score): (usize, &f32)| {
            if usable(id as u32) && !score.is_nan() { descending(score) } else { NEVER }
        };
        Spm { ranks: scores.iter().enumerate().map(rank).collect(), byte_tokens, unknown }
    }
}

/// An integer that is the lower, the higher the score.
fn descending(score: f32) -> u32 {
    // Adding zero makes -0 and 0 one.
    let bits = (score + 0.0).to_bits();
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    !ascending
}

impl Words for Spm {
    fn encode(
        &self,
        vocab: &Vocab,
        word: &str,
        scratch: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let usable = |id: &u32| self.ranks.get(*id as usize).is_some_and(|r| *r != NEVER);
        scratch.symbols.clear();
        scratch.symbols.extend(word.char_indices().map(|(at, c)| {
            let end = at + c.len_utf8();
            let id = vocab.id(&word.as_bytes()[at..end]).filter(usable);
            Symbol { id: id.unwrap_or(NO_TOKEN), start: at as u32, end: end as u32 }
        }));
        let rules = ByText { word: word.as_bytes(), vocab, ranks: &self.ranks };
        merge::merge(&rules, scratch, watch)?;
        for symbol in &scratch.symbols {
            if symbol.id != NO_TOKEN {
                out.push(symbol.id);
                continue;
            }
            let bytes = &rules.word[symbol.start as usize..symbol.end as usize];
            let tokens = bytes.iter().map(|&b| self.byte_tokens[usize::from(b)]);
            if tokens.clone().all(|id| id != NO_TOKEN) {
                out.extend(tokens);
            } else {
                out.extend(self.unknown);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_order() {
        let scores = [f32::INFINITY, 2.0, 1.5, 0.0, -0.5, -1e9, f32::NEG_INFINITY];
        assert!(scores.windows(2).all(|w| descending(w[0]) < descending(w[1])));
        assert_eq!(descending(0.0), descending(-0.0));
    }
}
