//! How a word becomes tokens: BPE, SentencePiece's BPE, unigram, WordPiece, whole words,
//! longest tokens.

pub(crate) mod bpe;
pub(crate) mod merge;
pub(crate) mod spm;
pub(crate) mod unigram;
pub(crate) mod word_piece;
pub(crate) mod world;

pub(crate) use merge::Scratch;

use super::{limits::Watch, vocab::Vocab};
use crate::Result;
use bpe::Bpe;
use spm::Spm;
use unigram::Unigram;
use word_piece::WordPiece;
use world::World;

/// Something that turns one word into tokens.
pub(crate) trait Words {
    fn encode(
        &self,
        vocab: &Vocab,
        word: &str,
        scratch: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()>;
}

#[derive(Clone)]
pub(crate) enum Model {
    Bpe(Bpe),
    Spm(Spm),
    Unigram(Unigram),
    WordPiece(WordPiece),
    /// Words of the vocabulary, and this token for all others.
    WordLevel(Option<u32>),
    World(World),
}

impl Words for Model {
    fn encode(
        &self,
        vocab: &Vocab,
        word: &str,
        scratch: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        match self {
            Model::Bpe(model) => model.encode(vocab, word, scratch, watch, out),
            Model::Spm(model) => model.encode(vocab, word, scratch, watch, out),
            Model::Unigram(model) => model.encode(vocab, word, scratch, watch, out),
            Model::WordPiece(model) => model.encode(vocab, word, scratch, watch, out),
            Model::World(model) => model.encode(vocab, word, scratch, watch, out),
            Model::WordLevel(unknown) => {
                out.extend(vocab.id(word.as_bytes()).or(*unknown));
                Ok(())
            }
        }
    }
}
