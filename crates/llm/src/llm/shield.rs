//! Protection against prompt injection through special tokens: chat messages stay text, even if they spell
//! a control token, so that no message can end its turn and continue in another role.

use crate::{
    Cancel, Result,
    template::{Chat, Message},
    tokenizer::{Encode, Tokenizer},
};
use aho_corasick::{AhoCorasick, Input};
use serde_json::Value;

/// Stands inside of every word that is only text, from before the template to the tokenizer. It
/// is no character, so no text has it for anything else.
const BREAK: char = '\u{FDD0}';

/// Keeps the words of special tokens apart from the tokens.
pub(super) struct Shield(Option<AhoCorasick>);

impl Shield {
    pub(super) fn new(tokenizer: &Tokenizer) -> Shield {
        Shield(tokenizer.special_words())
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
        let (mut broken, mut at) = (String::new(), 0);
        // A break after the first character of a word breaks all words that reach over that place, so
        // the search goes on from there.
        while let Some(found) = words.find(Input::new(text.as_str()).span(at..text.len())) {
            let first = text[found.start()..].chars().next().map_or(1, char::len_utf8);
            let place = found.start() + first;
            broken.push_str(&text[at..place]);
            broken.push(BREAK);
            at = place;
        }
        if at > 0 {
            broken.push_str(&text[at..]);
            *text = broken;
        }
    }
}

/// The tokens of what a template has made of a chat that was broken up; `None` if it was cancelled.
pub(super) fn encode(
    tokenizer: &Tokenizer,
    cancel: &Cancel,
    text: &str,
) -> Result<Option<Vec<u32>>> {
    tokenizer.encode_parts(cancel, text, BREAK, Encode::TRUSTED)
}
