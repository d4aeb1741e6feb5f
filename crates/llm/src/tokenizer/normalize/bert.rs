//! BERT's normaliser.

use crate::{
    Result,
    tokenizer::{chars, limits::Growth},
};
use unicode_normalization::UnicodeNormalization;

/// What BERT does to text before it is cut.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
pub(crate) struct Bert {
    /// Control characters go, all spaces become plain.
    pub(crate) clean_text: bool,
    /// Ideographs get spaces around them.
    pub(crate) handle_chinese_chars: bool,
    /// Accents go; unless said, with lower case.
    pub(crate) strip_accents: Option<bool>,
    pub(crate) lowercase: bool,
}

impl Bert {
    pub(crate) fn apply(&self, text: &str, growth: Growth) -> Result<String> {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                _ if self.clean_text && is_dirt(c) => {}
                _ if self.clean_text && c.is_whitespace() => out.push(' '),
                _ if self.handle_chinese_chars && chars::is_ideograph(c) => {
                    out.extend([' ', c, ' ']);
                }
                _ => out.push(c),
            }
        }
        if self.strip_accents.unwrap_or(self.lowercase) {
            out = growth.collect(out.nfd().filter(|c| !chars::is_nonspacing_mark(*c)))?;
        }
        if self.lowercase {
            out = super::lowercase(&out);
        }
        Ok(out)
    }
}

fn is_dirt(c: char) -> bool {
    match c {
        '\0' | '\u{FFFD}' => true,
        '\t' | '\n' | '\r' => false,
        _ => chars::is_control(c),
    }
}
