//! Protection against prompt injection through special tokens: chat messages stay text, even if they spell
//! a control token, so that no message can end its turn and continue in another role.

use crate::{
    Result,
    template::{Chat, Message},
    tokenizer::{Encode, Tokenizer},
};
use aho_corasick::AhoCorasick;
use serde_json::Value;

/// Stands inside of every word that is only text, from before the template to the tokenizer. It
/// is no character, so no text has it for anything else.
const BREAK: char = '\u{FDD0}';

/// Keeps the words of special tokens apart from the tokens.
pub(super) struct Shield(Option<AhoCorasick>);

impl Shield {
    pub(super) fn new(tokenizer: &Tokenizer) -> Shield {
        let special = (0..tokenizer.len() as u32).filter(|&token| tokenizer.is_special(token));
        let words = special.filter_map(|token| tokenizer.piece(token));
        let words: Vec<&[u8]> = words.filter(|word| word.len() > 1).collect();
        // Too many or too long for a search: then all is taken as it is, as if there were none.
        Shield(AhoCorasick::new(words).ok())
    }

    /// The chat with such words broken up wherever people, or tools, can have put them.
    pub(super) fn break_up(&self, chat: &mut Chat) {
        for Message { content, more, role: _ } in &mut chat.messages {
            content.iter_mut().chain(more.values_mut()).for_each(|value| self.value(value));
        }
        chat.tools.iter_mut().for_each(|tools| self.value(tools));
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.value(item)),
            _ => {}
        }
    }

    fn text(&self, text: &mut String) {
        if text.contains(BREAK) {
            text.retain(|c| c != BREAK);
        }
        let Some(words) = &self.0 else { return };
        let mut places: Vec<usize> = Vec::new();
        for found in words.find_overlapping_iter(text.as_str()) {
            let first = text[found.start()..].chars().next().map_or(0, char::len_utf8);
            places.push(found.start() + first);
        }
        places.sort_unstable();
        places.dedup();
        // From the end: places before stay right.
        places.iter().rev().for_each(|&place| text.insert(place, BREAK));
    }
}

/// The tokens of what a template has made of a chat that was broken up.
pub(super) fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>> {
    let mut tokens = Vec::new();
    for part in text.split(BREAK) {
        tokens.extend(tokenizer.encode(part, Encode::TRUSTED)?);
    }
    Ok(tokens)
}
