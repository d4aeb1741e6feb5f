//! Tokenizers, read from a model's own files: text to tokens and back.
//!
//! A tokenizer is a pipeline of small steps: added tokens are found, what is left is
//! normalised, cut into words, and each word goes through a model.
//! The files say which steps.

mod added;
pub(crate) mod byte_alphabet;
mod chars;
mod decode;
mod encode;
mod limits;
mod model;
mod normalize;
mod source;
mod split;
mod stream;
mod trie;
mod vocab;
pub(crate) mod world;

pub use encode::Encode;
pub use stream::TextStream;

use crate::{Error, Result};
use added::AddedTokens;
use aho_corasick::{AhoCorasick, MatchKind};
use decode::{Decoder, Utf8};
use limits::Watch;
use model::Model;
use normalize::Normalize;
use split::Split;
use vocab::Vocab;

/// A model's tokenizer.
///
/// ```
/// use bessemer_llm::tokenizer::{Encode, Tokenizer};
///
/// let json = br#"{
///     "added_tokens": [{"id": 3, "content": "<end>", "special": true}],
///     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
///     "decoder": {"type": "ByteLevel"},
///     "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
/// }"#;
/// let tokenizer = Tokenizer::from_json("tokenizer.json", json)?;
/// assert_eq!(tokenizer.encode("abba<end>", Encode::TRUSTED)?, [2, 1, 0, 3]);
/// assert_eq!(tokenizer.decode(&[2, 1, 0])?, "abba");
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct Tokenizer {
    vocab: Vocab,
    added: AddedTokens,
    normalizers: Vec<Normalize>,
    splits: Vec<Split>,
    /// Whether words come out of the last split spelled in the byte alphabet.
    spelled: bool,
    model: Model,
    decoder: Decoder,
    /// What [`Encode::affixes`] puts around text.
    before: Vec<u32>,
    after: Vec<u32>,
    roles: Roles,
}

/// The tokens with a role.
#[derive(Clone, Debug, Default)]
struct Roles {
    bos: Option<u32>,
    eos: Option<u32>,
    unknown: Option<u32>,
    /// All tokens that end a text or a turn.
    ends: Vec<u32>,
    /// Tokens that steer the model, in order.
    special: Vec<u32>,
}

impl Tokenizer {
    /// How many tokens there are; every token is below.
    pub fn len(&self) -> usize {
        self.vocab.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The token that begins a text, if the model has one.
    pub fn bos(&self) -> Option<u32> {
        self.roles.bos
    }

    /// The token that ends a text, if the model has one.
    pub fn eos(&self) -> Option<u32> {
        self.roles.eos
    }

    /// The token for what has none.
    pub fn unknown(&self) -> Option<u32> {
        self.roles.unknown
    }

    /// Whether a token ends a text or a turn: a model that says it is done.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let tokenizer = llm.tokenizer();
    /// let end = tokenizer.token("<|end|>").unwrap();
    /// assert!(tokenizer.is_end(end) && tokenizer.is_special(end));
    /// assert!(!tokenizer.is_end(97));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_end(&self, token: u32) -> bool {
        self.roles.ends.contains(&token)
    }

    /// Whether a token ends a text, not only a turn of a chat. The two differ for RWKV's world models,
    /// whose turns end with an empty line.
    pub(crate) fn is_end_of_text(&self, token: u32) -> bool {
        let is_text = matches!(self.model, Model::World(_)) && !self.is_special(token);
        self.is_end(token) && (!is_text || self.eos() == Some(token))
    }

    /// Texts that end a turn of a chat as its tokens do: tokens of RWKV's world models may have more in
    /// them than the empty line that ends it.
    pub(crate) fn turn_ends(&self) -> &'static [&'static str] {
        const EMPTY_LINE: &str = "\n\n";
        match &self.model {
            Model::World(_) if self.token(EMPTY_LINE).is_some_and(|id| self.is_end(id)) => {
                &[EMPTY_LINE]
            }
            Model::World(_) => &["\n\nUser:"],
            _ => &[],
        }
    }

    /// Whether a token steers the model and is not text.
    pub fn is_special(&self, token: u32) -> bool {
        self.roles.special.binary_search(&token).is_ok()
    }

    /// Finds what special tokens are spelled like; `None` if there are none.
    pub(crate) fn special_words(&self) -> Option<AhoCorasick> {
        let special = self.added.iter().filter(|token| token.special && token.content.len() > 1);
        let words: Vec<&str> = special.map(|token| token.content.as_str()).collect();
        if words.is_empty() { None } else { added::automaton(MatchKind::Standard, &words) }
    }

    /// How many tokens at the start of a text only say that it starts.
    pub(crate) fn begins(&self, tokens: &[u32]) -> usize {
        let is_bos = tokens.first().is_some_and(|&token| self.bos() == Some(token));
        match tokens.starts_with(&self.before) && !self.before.is_empty() {
            true => self.before.len(),
            false => usize::from(is_bos && self.is_special(tokens[0])),
        }
    }

    /// The tokens put before and after text that is encoded with its affixes.
    pub fn affixes(&self) -> (&[u32], &[u32]) {
        (&self.before, &self.after)
    }

    /// The bytes of a token as its vocabulary has them; visible spaces are not undone.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// assert_eq!(llm.tokenizer().piece(97), Some(&b"a"[..]));
    /// assert_eq!(llm.tokenizer().piece(1 << 20), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn piece(&self, token: u32) -> Option<&[u8]> {
        self.vocab.piece(token)
    }

    /// The token of an added token's content or of a piece.
    pub fn token(&self, piece: &str) -> Option<u32> {
        let added = self.added.iter().find(|token| token.content == piece);
        added.map(|token| token.id).or_else(|| self.vocab.id(piece.as_bytes()))
    }

    /// The text of tokens. Special tokens are left out; bytes that are no text become `U+FFFD`.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        let (mut utf8, mut text) = (Utf8::default(), String::new());
        utf8.pending = self.decode_bytes(tokens)?;
        utf8.flush(&mut text);
        utf8.finish(&mut text);
        Ok(text)
    }

    /// The bytes of tokens, special ones left out: exactly what was encoded, where the tokenizer
    /// keeps all of it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// // Half of a character is no text yet.
    /// let half = &"é".as_bytes()[..1];
    /// let token = u32::from(half[0]);
    /// assert_eq!(llm.tokenizer().decode_bytes(&[token])?, half);
    /// assert_eq!(llm.tokenizer().decode(&[token])?, "\u{fffd}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode_bytes(&self, tokens: &[u32]) -> Result<Vec<u8>> {
        let mut state = self.decoder.start();
        let mut out = Vec::new();
        let watch = Watch::new(tokens.len(), None);
        for &token in tokens {
            let piece = self.known(token)?;
            if !self.is_special(token) {
                self.decoder.push(&mut state, piece, &watch, &mut out)?;
            }
        }
        Ok(out)
    }

    /// Decodes token by token, as a model makes them.
    pub fn stream(&self) -> TextStream<'_> {
        TextStream::new(self)
    }

    fn known(&self, token: u32) -> Result<&[u8]> {
        self.vocab.piece(token).ok_or_else(|| {
            let len = self.len();
            Error::Tokenizer(format!("token {token} is out of range for a vocabulary of {len}"))
        })
    }
}
