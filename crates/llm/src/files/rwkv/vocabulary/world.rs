//! The vocabulary of RWKV's World models, for a model of so many tokens.

use super::{Keys, special::Special, too_many};
use crate::{
    Result,
    files::read,
    tokenizer::world::{Token, metadata, parse_vocabulary},
};
use std::path::Path;

/// The published one has 1 MB.
const MOST_BYTES: u64 = 64 << 20;

/// A vocabulary with at most so many tokens.
pub(super) struct World {
    tokens: Vec<Token>,
    size: usize,
}

pub(super) fn read(path: &Path, size: usize) -> Result<World> {
    let text = read::text(path, MOST_BYTES)?;
    let tokens = parse_vocabulary(path, text.as_bytes())?;
    match tokens.iter().find(|token| token.id as usize >= size) {
        Some(first) => Err(too_many(path, first.id as usize, size)),
        None => Ok(World { tokens, size }),
    }
}

impl World {
    pub(super) fn set(&self, keys: &mut Keys, special: &Special) -> Result<()> {
        for (key, value) in metadata(&self.tokens, self.size) {
            match &special.template {
                Some(own) if key == "tokenizer.chat_template" => keys.set(key, own.as_str())?,
                _ => keys.set(key, value)?,
            }
        }
        Ok(())
    }
}
