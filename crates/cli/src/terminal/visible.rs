//! Control characters made visible, as JSON writes them: an escape character becomes `\u001b`.

use std::{borrow::Cow, fmt::Write};

/// Whether a terminal would obey a character instead of showing it, or it changes the direction of the text
/// after it.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The text with all hidden characters made visible.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_hidden(c) {
            // Writing to a string cannot fail.
            true => _ = write!(seen, "\\u{:04x}", u32::from(c)),
            false => seen.push(c),
        }
    }
    Cow::Owned(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_hidden_changes() {
        for text in ["", "plain\n\ttext", "é 漢 🦀 \u{200f}ש"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(visible("a\x1b[2J\rb\x7f"), "a\\u001b[2J\\u000db\\u007f");
        assert_eq!(visible("\u{9b}31m\u{202e}\u{2066}\0"), "\\u009b31m\\u202e\\u2066\\u0000");
    }
}
