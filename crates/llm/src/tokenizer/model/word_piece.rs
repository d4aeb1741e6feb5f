//! WordPiece: the longest piece that fits, from left to right; a word that does not come out even
//! is unknown as a whole.

use super::{Scratch, Words};
use crate::{
    Result,
    tokenizer::{limits::Watch, vocab::Vocab},
};

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
    fn encode(
        &self,
        vocab: &Vocab,
        word: &str,
        _: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let before = out.len();
        if word.chars().count() > self.most_chars || !self.pieces(vocab, word, watch, out)? {
            out.truncate(before);
            out.extend(self.unknown);
        }
        Ok(())
    }
}

impl WordPiece {
    fn pieces(
        &self,
        vocab: &Vocab,
        word: &str,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<bool> {
        let mut at = 0;
        let mut spelled = String::new();
        while at < word.len() {
            spelled.clear();
            spelled.push_str(if at == 0 { &self.first_prefix } else { &self.continuing_prefix });
            let prefix = spelled.len();
            let most = vocab.longest().saturating_sub(prefix).min(word.len() - at);
            spelled.push_str(&word[at..word.floor_char_boundary(at + most)]);
            let found = loop {
                watch.check()?;
                if spelled.len() == prefix {
                    return Ok(false);
                }
                if let Some(id) = vocab.id(spelled.as_bytes()) {
                    break id;
                }
                spelled.pop();
            };
            out.push(found);
            at += spelled.len() - prefix;
        }
        Ok(true)
    }
}
