//! BPE by ranked merges, over bytes (GPT-2 and after) or over characters.

use super::{
    Words,
    merge::{self, NO_TOKEN, Rules, Scratch, Symbol},
};
use crate::{
    Result,
    tokenizer::{limits::Watch, vocab::Vocab},
};
use foldhash::HashMap;

/// Merges by rank: `(left, right)` to `(rank, token)`.
pub(crate) type Merges = HashMap<(u32, u32), (u32, u32)>;

/// A BPE model. Words come in as text; the vocabulary holds them as bytes.
#[derive(Clone)]
pub(crate) struct Bpe {
    pub(crate) merges: Merges,
    /// Whether a word that is in the vocabulary is taken whole, whatever the merges say.
    pub(crate) whole_words: bool,
    pub(crate) start: Start,
}

/// What a word is before any merge.
#[derive(Clone)]
pub(crate) enum Start {
    /// One token per byte.
    Bytes(Box<[u32; 256]>),
    /// One token per character.
    Chars(Chars),
}

/// How characters become tokens.
#[derive(Clone, Default)]
pub(crate) struct Chars {
    /// Put before every character but the first.
    pub(crate) continuing_prefix: String,
    /// Put after the last character.
    pub(crate) word_suffix: String,
    /// The tokens of single bytes, for characters the vocabulary lacks.
    pub(crate) byte_tokens: Option<Box<[u32; 256]>>,
    /// For all else that it lacks.
    pub(crate) unknown: Option<u32>,
    /// Whether a run of unknowns is one token.
    pub(crate) fuse_unknown: bool,
}

impl Rules for Merges {
    #[inline]
    fn merge(&self, left: Symbol, right: Symbol) -> Option<(u32, u32)> {
        self.get(&(left.id, right.id)).copied()
    }
}

impl Words for Bpe {
    fn encode(
        &self,
        vocab: &Vocab,
        word: &str,
        scratch: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        match &self.start {
            Start::Bytes(_) => self.encode_bytes(vocab, word.as_bytes(), scratch, watch, out),
            Start::Chars(_) if self.is_whole(vocab, word.as_bytes(), out) => Ok(()),
            Start::Chars(chars) => {
                scratch.symbols.clear();
                chars.start(vocab, word, &mut scratch.symbols);
                self.finish(scratch, watch, out)
            }
        }
    }
}

impl Bpe {
    /// Whether words start as single characters with nothing put on them, and are then merged.
    pub(crate) fn is_by_plain_chars(&self) -> bool {
        let plain =
            |chars: &Chars| chars.continuing_prefix.is_empty() && chars.word_suffix.is_empty();
        !self.whole_words && matches!(&self.start, Start::Chars(chars) if plain(chars))
    }

    /// Encodes a word that need not be text; characters are not looked at.
    pub(crate) fn encode_bytes(
        &self,
        vocab: &Vocab,
        word: &[u8],
        scratch: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let Start::Bytes(tokens) = &self.start else {
            return Ok(());
        };
        if self.is_whole(vocab, word, out) {
            return Ok(());
        }
        // A byte that the vocabulary lacks is left out, as the format's own code does.
        let ids = word.iter().map(|&b| tokens[usize::from(b)]);
        scratch.symbols.clear();
        scratch.symbols.extend(ids.filter(|&id| id != NO_TOKEN).map(symbol));
        self.finish(scratch, watch, out)
    }

    fn is_whole(&self, vocab: &Vocab, word: &[u8], out: &mut Vec<u32>) -> bool {
        let id = if self.whole_words { vocab.id(word) } else { None };
        out.extend(id);
        id.is_some()
    }

    fn finish(&self, scratch: &mut Scratch, watch: &Watch<'_>, out: &mut Vec<u32>) -> Result<()> {
        merge::merge(&self.merges, scratch, watch)?;
        out.extend(scratch.symbols.iter().map(|symbol| symbol.id));
        Ok(())
    }
}

/// A symbol whose place does not matter, only its token.
fn symbol(id: u32) -> Symbol {
    Symbol { id, start: 0, end: 0 }
}

impl Chars {
    fn start(&self, vocab: &Vocab, word: &str, symbols: &mut Vec<Symbol>) {
        let mut spelled = String::new();
        let mut unknown_before = false;
        for (at, c) in word.char_indices() {
            spelled.clear();
            if at > 0 {
                spelled.push_str(&self.continuing_prefix);
            }
            spelled.push(c);
            if at + c.len_utf8() == word.len() {
                spelled.push_str(&self.word_suffix);
            }
            if let Some(id) = vocab.id(spelled.as_bytes()) {
                symbols.push(symbol(id));
                unknown_before = false;
                continue;
            }
            if let Some(tokens) = &self.byte_tokens
                && spelled.bytes().all(|b| tokens[usize::from(b)] != NO_TOKEN)
            {
                let ids = spelled.bytes().map(|b| tokens[usize::from(b)]);
                symbols.extend(ids.map(symbol));
                unknown_before = false;
                continue;
            }
            if let Some(id) = self.unknown {
                if !(self.fuse_unknown && unknown_before) {
                    symbols.push(symbol(id));
                }
                unknown_before = true;
            }
        }
    }
}
