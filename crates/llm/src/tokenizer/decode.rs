//! From tokens back to text: the decoders, token by token, and the stream that never splits a
//! character.

use super::{
    byte_alphabet,
    limits::{Growth, Watch},
    split::Pattern,
};
use crate::Result;

/// One step of turning a token's piece into text.
#[derive(Clone)]
pub(crate) enum Decode {
    /// Characters of the byte alphabet become the bytes they stand for.
    Unspell,
    /// `<0x41>` becomes the byte it names.
    ByteFallback,
    Replace {
        pattern: Pattern,
        content: String,
    },
    /// Visible spaces become spaces, except the one at the start of the text.
    Metaspace {
        visible: char,
        strip_first: bool,
    },
    /// Pieces that do not continue a word get a space before them.
    WordPiece {
        prefix: String,
        cleanup: bool,
    },
    /// Pieces that end with this end a word: it becomes a space, except at the end of the text.
    WordEnd(String),
    /// Up to so many of this character go, at both ends of each piece.
    Strip {
        content: char,
        start: usize,
        stop: usize,
    },
}

/// How tokens become text.
#[derive(Clone, Default)]
pub(crate) struct Decoder {
    pub(crate) steps: Vec<Decode>,
    /// Up to so many of this character go at the start of the whole text.
    pub(crate) strip_start: Option<(char, usize)>,
}

/// Where in the text a decoder is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    first: bool,
    to_strip: usize,
    /// A space that is written only if something follows.
    held_space: bool,
}

enum Piece {
    Text(String),
    Bytes(Vec<u8>),
}

impl Decoder {
    pub(crate) fn start(&self) -> State {
        State {
            first: true,
            to_strip: self.strip_start.map_or(0, |(_, count)| count),
            held_space: false,
        }
    }

    /// Appends what a token adds to the text.
    pub(crate) fn push(
        &self,
        state: &mut State,
        piece: &[u8],
        watch: &Watch<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if std::mem::take(&mut state.held_space) {
            out.push(b' ');
        }
        let piece_bytes = piece.len();
        let mut piece = match std::str::from_utf8(piece) {
            Ok(text) if !self.steps.is_empty() => Piece::Text(text.to_owned()),
            // Byte-level pieces are what they are.
            _ => {
                state.first = false;
                out.extend_from_slice(piece);
                return Ok(());
            }
        };
        let growth = Growth::of_piece(piece_bytes);
        for step in &self.steps {
            if let Piece::Text(text) = &piece {
                watch.check()?;
                piece = step.apply(text, state, watch, growth)?;
            }
        }
        state.first = false;
        match piece {
            Piece::Bytes(bytes) => {
                state.to_strip = 0;
                out.extend(bytes);
            }
            Piece::Text(text) => {
                let mut text = text.as_str();
                if let Some((c, _)) = self.strip_start {
                    while state.to_strip > 0 && text.starts_with(c) {
                        text = &text[c.len_utf8()..];
                        state.to_strip -= 1;
                    }
                    if !text.is_empty() {
                        state.to_strip = 0;
                    }
                }
                out.extend_from_slice(text.as_bytes());
            }
        }
        Ok(())
    }
}

impl Decode {
    fn apply(
        &self,
        text: &str,
        state: &mut State,
        watch: &Watch<'_>,
        growth: Growth,
    ) -> Result<Piece> {
        Ok(Piece::Text(match self {
            Decode::Unspell => match byte_alphabet::read(text) {
                Some(bytes) => return Ok(Piece::Bytes(bytes)),
                None => text.to_owned(),
            },
            Decode::ByteFallback => match byte_token(text) {
                Some(byte) => return Ok(Piece::Bytes(vec![byte])),
                None => text.to_owned(),
            },
            Decode::Replace { pattern, content } => {
                let new = pattern.replace(text, content, watch, growth)?;
                new.unwrap_or_else(|| text.to_owned())
            }
            Decode::Metaspace { visible, strip_first } => {
                let skip = *strip_first && state.first && text.starts_with(*visible);
                let text = if skip { &text[visible.len_utf8()..] } else { text };
                text.replace(*visible, " ")
            }
            Decode::WordPiece { prefix, cleanup } => {
                let joined = match text.strip_prefix(prefix.as_str()) {
                    _ if state.first => text.to_owned(),
                    Some(rest) if !prefix.is_empty() => rest.to_owned(),
                    _ => format!(" {text}"),
                };
                if *cleanup { tidy(&joined) } else { joined }
            }
            Decode::WordEnd(suffix) => match text.strip_suffix(suffix.as_str()) {
                Some(word) if !suffix.is_empty() => {
                    state.held_space = true;
                    word.to_owned()
                }
                _ => text.to_owned(),
            },
            Decode::Strip { content, start, stop } => {
                let mut text = text;
                for _ in 0..*start {
                    text = text.strip_prefix(*content).unwrap_or(text);
                }
                for _ in 0..*stop {
                    text = text.strip_suffix(*content).unwrap_or(text);
                }
                text.to_owned()
            }
        }))
    }
}

/// The byte that a token such as `<0x41>` names.
pub(crate) fn byte_token(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Takes away the spaces that cutting put before signs and contractions.
fn tidy(text: &str) -> String {
    const PAIRS: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    PAIRS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Bytes that come in pieces, out as text: a character that is not complete waits for the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf8 {
    pub(crate) pending: Vec<u8>,
}

impl Utf8 {
    /// Appends all complete characters of what is pending; what can be none becomes `U+FFFD`.
    pub(crate) fn flush(&mut self, out: &mut String) {
        let mut rest = self.pending.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    out.push_str(text);
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    out.push_str(&String::from_utf8_lossy(valid));
                    rest = bad;
                    let Some(len) = error.error_len() else { break };
                    out.push('\u{FFFD}');
                    rest = &rest[len..];
                }
            }
        }
        let kept = rest.len();
        self.pending.drain(..self.pending.len() - kept);
    }

    /// Appends what is left, at the end of the text.
    pub(crate) fn finish(&mut self, out: &mut String) {
        out.push_str(&String::from_utf8_lossy(&self.pending));
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_never_split() {
        let text = "a é 漢 😀 \u{FFFD}";
        let (mut utf8, mut out) = (Utf8::default(), String::new());
        for byte in text.bytes() {
            utf8.pending.push(byte);
            utf8.flush(&mut out);
            assert!(text.starts_with(&out) && utf8.pending.len() < 4);
        }
        assert_eq!(out, text);
    }

    #[test]
    fn what_is_no_text_is_marked() {
        let bytes = b"a\xFFb\xE6\xBCc\xF0\x9F";
        let (mut utf8, mut out) = (Utf8::default(), String::new());
        for byte in bytes {
            utf8.pending.push(*byte);
            utf8.flush(&mut out);
        }
        utf8.finish(&mut out);
        assert_eq!(out, String::from_utf8_lossy(bytes));
    }

    #[test]
    fn byte_tokens() {
        assert_eq!(byte_token("<0x41>"), Some(0x41));
        assert_eq!(byte_token("<0xfF>"), Some(0xFF));
        for other in ["<0x4>", "<0x+1>", "<0x411>", "0x41", "<0x4é>"] {
            assert_eq!(byte_token(other), None, "{other}");
        }
    }
}
