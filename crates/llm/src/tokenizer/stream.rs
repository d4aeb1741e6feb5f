//! Decoding as tokens come.

use super::{
    Tokenizer,
    decode::{State, Utf8},
    limits::Watch,
};
use crate::Result;

/// Text from tokens, one by one. What it gives out is always whole characters; together it is
/// what [`Tokenizer::decode`] would give.
///
/// ```
/// use bessemer_llm::tokenizer::{Encode, Tokenizer};
///
/// let json = r#"{
///     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
///     "model": {"type": "BPE", "vocab": {"Ã": 0, "©": 1, "a": 2}, "merges": []}
/// }"#;
/// let tokenizer = Tokenizer::from_json("tokenizer.json", json.as_bytes())?;
/// let mut stream = tokenizer.stream();
/// assert_eq!(stream.push(2)?, "a");
/// assert_eq!(stream.push(0)?, ""); // half an é
/// assert_eq!(stream.push(1)?, "é");
/// assert_eq!(stream.finish(), "");
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct TextStream<'t> {
    tokenizer: &'t Tokenizer,
    state: State,
    utf8: Utf8,
    show_special: bool,
}

impl<'t> TextStream<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer) -> TextStream<'t> {
        TextStream {
            tokenizer,
            state: tokenizer.decoder.start(),
            utf8: Utf8::default(),
            show_special: false,
        }
    }

    /// Writes special tokens out too.
    pub fn show_special(mut self) -> TextStream<'t> {
        self.show_special = true;
        self
    }

    /// The text that is sure now that this token has come.
    pub fn push(&mut self, token: u32) -> Result<String> {
        let piece = self.tokenizer.known(token)?;
        let mut text = String::new();
        if self.show_special || !self.tokenizer.is_special(token) {
            let decoder = &self.tokenizer.decoder;
            let watch = Watch::new(piece.len(), None);
            decoder.push(&mut self.state, piece, &watch, &mut self.utf8.pending)?;
            self.utf8.flush(&mut text);
        }
        Ok(text)
    }

    /// What is left when no more tokens come: a broken character becomes `U+FFFD`.
    pub fn finish(mut self) -> String {
        let mut text = String::new();
        self.utf8.finish(&mut text);
        text
    }
}
