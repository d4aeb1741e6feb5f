//! WordPiece: the longest piece that fits, from left to right; a word that does not come out even
//! is unknown as a whole.

use super::{Scratch, Words};
use crate::tokenizer::vocab::Vocab;

/// A WordPiece model.
#[derive(Clone)]
pub(crate) struct WordPiece {
    /// Before the first piece of a word.
    pub(crate) first_prefix: String,
    /// Before every other piece.
    pub(crate) continuing_prefix: String,
    pub(crate) unknown: Option<u32>,
    /// Longer words are unknown.
    pub(crate) most_chars: usize,
}

impl Words for WordPiece {
    fn encode(&self, vocab: &Vocab, word: &str, _: &mut Scratch, out: &mut Vec<u32>) {
        let before = out.len();
        if word.chars().count() > self.most_chars || !self.pieces(vocab, word, out) {
            out.truncate(before);
            out.extend(self.unknown);
        }
    }
}

impl WordPiece {
    fn pieces(&self, vocab: &Vocab, word: &str, out: &mut Vec<u32>) -> bool {
        let mut at = 0;
        let mut spelled = String::new();
        while at < word.len() {
            spelled.clear();
            spelled.push_str(if at == 0 { &self.first_prefix } else { &self.continuing_prefix });
            let prefix = spelled.len();
            let most = vocab.longest().saturating_sub(prefix).min(word.len() - at);
            spelled.push_str(&word[at..at + floor_boundary(&word[at..], most)]);
            let found = loop {
                if spelled.len() == prefix {
                    return false;
                }
                if let Some(id) = vocab.id(spelled.as_bytes()) {
                    break id;
                }
                spelled.pop();
            };
            out.push(found);
            at += spelled.len() - prefix;
        }
        true
    }
}

/// The last character boundary up to `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}
