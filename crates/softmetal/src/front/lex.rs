//! From preprocessed text to tokens, as clang's own lexer would split it, except that punctuation is
//! taken a character at a time (`::` and `->` alone are whole).

use super::token::{Kind, Token};

/// The tokens of the output of `clang -E`, and the files that its line markers name.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<String>) {
    Lexer { text: text.as_bytes(), at: 0, dots: 0, line: 1, file: 0 }.run()
}

/// Brackets spelled as digraphs (`<: :> <% %>`) as themselves and a blank, so that nothing moves.
pub(super) fn plain_brackets(text: String) -> String {
    if !["<:", ":>", "<%", "%>"].iter().any(|d| text.contains(d)) {
        return text;
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    // Between words, numbers and quotes.
    let tokens = tokens(&text).0;
    for t in tokens.iter().filter(|t| t.kind == Kind::Punct) {
        at = at.max(t.start);
        while at < t.end {
            let rest = &text.as_bytes()[at..];
            // `<::` is `<` and `::`, unless it goes on to `<:::` or `<::>`.
            let scope = rest.starts_with(b"<::") && !matches!(rest.get(3), Some(b':' | b'>'));
            let plain = match rest {
                [b'<', b':', ..] if !scope => b'[',
                [b':', b'>', ..] => b']',
                [b'<', b'%', ..] => b'{',
                [b'%', b'>', ..] => b'}',
                _ => {
                    // What is longer, such as `::`, is not looked into.
                    at += if rest.starts_with(b"::") { 2 } else { 1 };
                    continue;
                }
            };
            bytes[at] = plain;
            bytes[at + 1] = b' ';
            at += 2;
        }
    }
    // ASCII took the place of ASCII, so this is still UTF-8.
    String::from_utf8(bytes).unwrap_or(text)
}

/// What a number without a bracket of its own may look like: `1.5bf`, `0x1p3bf`, but not `0x5bf`.
pub(crate) fn is_floating(number: &str) -> bool {
    let lower = number.to_ascii_lowercase();
    if lower.starts_with("0x") { lower.contains('p') } else { lower.contains(['.', 'e']) }
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the dots of `...` end.
    dots: usize,
    line: usize,
    file: usize,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// What may stand right before a string or a character, and belongs to it.
fn is_prefix(word: &[u8], quote: u8) -> bool {
    matches!(word, b"u8" | b"u" | b"U" | b"L")
        || quote == b'"' && matches!(word, b"R" | b"u8R" | b"uR" | b"UR" | b"LR")
}

impl Lexer<'_> {
    fn run(&mut self) -> (Vec<Token>, Vec<String>) {
        let mut tokens = Vec::new();
        let mut files = vec![String::new()];
        let mut fresh = true; // nothing but blanks on this line so far
        while let Some(c) = self.peek(0) {
            match c {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                    fresh = true;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'#' if fresh => {
                    self.directive(&mut files);
                    continue;
                }
                _ => {}
            }
            fresh = false;
            let (start, line) = (self.at, self.line);
            let kind = self.token(c);
            tokens.push(Token { kind, start, end: self.at, file: self.file, line });
        }
        (tokens, files)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// `# 12 "name" flags` moves the position; any other directive is left alone.
    fn directive(&mut self, files: &mut Vec<String>) {
        let end = self.text[self.at..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(self.text.len(), |p| self.at + p);
        let line = String::from_utf8_lossy(&self.text[self.at + 1..end]).into_owned();
        let mut words = line.trim().splitn(2, ' ');
        if let (Some(number), Some(rest)) = (words.next(), words.next())
            && let Ok(number) = number.parse::<usize>()
            && let Some(rest) = rest.trim().strip_prefix('"')
            && let Some(close) = rest.rfind('"')
        {
            let name = rest[..close].replace("\\\\", "\\").replace("\\\"", "\"");
            self.file = files.iter().position(|f| *f == name).unwrap_or_else(|| {
                files.push(name);
                files.len() - 1
            });
            // The marker's own newline brings the count to `number`.
            self.line = number.saturating_sub(1);
        }
        self.at = end;
    }

    fn token(&mut self, c: u8) -> Kind {
        let next = self.peek(1).unwrap_or(0);
        if self.at >= self.dots && self.text[self.at..].starts_with(b"...") {
            self.dots = self.at + 3;
        }
        let point = c == b'.' && self.at >= self.dots;
        if c.is_ascii_digit() || (point && next.is_ascii_digit()) {
            self.number();
            return Kind::Number;
        }
        if is_word(c) {
            let start = self.at;
            self.word();
            let word = &self.text[start..self.at];
            return match self.peek(0) {
                Some(q @ (b'"' | b'\'')) if is_prefix(word, q) => {
                    self.quoted(q, word.ends_with(b"R"))
                }
                _ => Kind::Ident,
            };
        }
        if c == b'"' || c == b'\'' {
            return self.quoted(c, false);
        }
        self.at += if (c == b':' && next == b':') || (c == b'-' && next == b'>') { 2 } else { 1 };
        Kind::Punct
    }

    fn word(&mut self) {
        while self.peek(0).is_some_and(is_word) {
            self.at += 1;
        }
    }

    /// A preprocessing number, which takes in whatever looks like a part of one.
    fn number(&mut self) {
        let hex = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        let start = self.at;
        let mut previous = 0u8;
        while let Some(b) = self.peek(0) {
            // An exponent of two has a sign in hexadecimal numbers alone, and in no user's suffix.
            let suffixed = || self.text[start..self.at].contains(&b'_');
            let sign = match previous {
                b'e' | b'E' => true,
                b'p' | b'P' => hex && !suffixed(),
                _ => false,
            } && matches!(b, b'+' | b'-');
            let separator =
                b == b'\'' && self.peek(1).is_some_and(|n| n.is_ascii_alphanumeric() || n == b'_');
            if !(is_word(b) && b != b'$' || b == b'.' || separator || sign) {
                break;
            }
            previous = b;
            self.at += 1;
        }
    }

    /// A string or a character, with the suffix that may follow.
    fn quoted(&mut self, quote: u8, raw: bool) -> Kind {
        let start = self.at;
        self.at += 1;
        if !(raw && self.raw()) {
            self.at = start + 1;
            while let Some(b) = self.peek(0).filter(|&b| b != b'\n') {
                self.at += if b == b'\\' { 2 } else { 1 };
                if b == quote {
                    break;
                }
            }
            self.at = self.at.min(self.text.len());
        }
        if self.peek(0) == Some(b'_') {
            while self.peek(0).is_some_and(|b| is_word(b) && b != b'$') {
                self.at += 1;
            }
        }
        if quote == b'"' { Kind::Str } else { Kind::Char }
    }

    /// The rest of `"mark( … )mark"`; false if there is none.
    fn raw(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(open) = rest.iter().position(|&b| b == b'(').filter(|&n| n <= 16) else {
            return false;
        };
        let close: Vec<u8> = [b")", &rest[..open], b"\""].concat();
        let Some(end) = rest.windows(close.len()).position(|w| w == close) else {
            return false;
        };
        let whole = &rest[..end + close.len()];
        self.line += whole.iter().filter(|&&b| b == b'\n').count();
        self.at += whole.len();
        true
    }
}
