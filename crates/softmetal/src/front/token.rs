//! Tokens of preprocessed source, each with the file and line it came from.
//! What the tokens mean is the business of the modules beside this one.

use super::integers::{self, Integers};
use super::lex;
use std::ops::Range;

/// What a token is, as far as the front end cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ident,
    Number,
    Str,
    Char,
    Punct,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) file: usize,
    pub(crate) line: usize,
}

/// Preprocessed text with its tokens and, for every bracket, where its partner is.
pub(crate) struct Source {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    pub(crate) files: Vec<String>,
    /// Enumerators and constants, by name.
    pub(crate) integers: Integers,
    mates: Vec<usize>,
}

/// No partner: the bracket is unbalanced, or the token is no bracket.
const NONE: usize = usize::MAX;

impl Source {
    /// Splits the output of `clang -E` into tokens, following its line markers.
    pub(crate) fn new(text: String) -> Source {
        let text = lex::plain_brackets(text);
        let (tokens, files) = lex::tokens(&text);
        let integers = Integers::new();
        let mut source = Source { text, tokens, files, integers, mates: Vec::new() };
        source.mates = source.pair();
        source.integers = integers::named(&source);
        source
    }

    fn pair(&self) -> Vec<usize> {
        let mut mates = vec![NONE; self.tokens.len()];
        let mut open: Vec<(usize, u8)> = Vec::new();
        for i in 0..self.tokens.len() {
            let closer = match self.text(i) {
                "(" => b')',
                "[" => b']',
                "{" => b'}',
                t @ (")" | "]" | "}") => {
                    // A stray closer is clang's to report; here it must only not confuse us.
                    if let Some(&(o, want)) = open.last()
                        && want == t.as_bytes()[0]
                    {
                        open.pop();
                        mates[o] = i;
                        mates[i] = o;
                    }
                    continue;
                }
                _ => continue,
            };
            open.push((i, closer));
        }
        mates
    }

    /// The spelling of token `i`; empty past the end.
    pub(crate) fn text(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| &self.text[t.start..t.end])
    }

    pub(crate) fn is(&self, i: usize, text: &str) -> bool {
        self.text(i) == text
    }

    pub(crate) fn is_ident(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Ident)
    }

    /// The partner of bracket `i`.
    pub(crate) fn mate(&self, i: usize) -> Option<usize> {
        self.mates.get(i).copied().filter(|&m| m != NONE)
    }

    /// Whether an attribute `[[ … ]]` starts at `i`.
    pub(crate) fn is_attribute(&self, i: usize) -> bool {
        self.is(i, "[")
            && self.is(i + 1, "[")
            && self.tokens[i].end == self.tokens[i + 1].start
            && match (self.mate(i), self.mate(i + 1)) {
                (Some(outer), Some(inner)) => outer == inner + 1,
                _ => false,
            }
    }

    /// The index after the template argument list that opens at `i` (a `<`), if it closes.
    pub(crate) fn after_angles(&self, i: usize, end: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut k = i;
        while k < end {
            match self.text(k) {
                "<" if k > i && self.is_less_than(k) => {}
                "<" => depth += 1,
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(k + 1);
                    }
                }
                "(" | "[" | "{" => k = self.mate(k)?,
                ";" | ")" | "]" | "}" => return None,
                _ => {}
            }
            k += 1;
        }
        None
    }

    /// Whether a `<` compares, as far as its neighbours and blanks tell: `sizeof(T) < 8`.
    fn is_less_than(&self, k: usize) -> bool {
        let Some(before) = k.checked_sub(1).map(|b| &self.tokens[b]) else {
            return false;
        };
        let blank_before = before.end != self.tokens[k].start;
        let blank_after =
            self.tokens.get(k + 1).is_some_and(|next| next.start != self.tokens[k].end);
        before.kind == Kind::Number || self.text(k - 1) == ")" || blank_before && blank_after
    }

    /// The bytes from the first to the last token of a range, as far as there are any: what is not
    /// closed may end behind the last one.
    pub(crate) fn span(&self, tokens: Range<usize>) -> Range<usize> {
        let tokens = tokens.start..tokens.end.min(self.tokens.len());
        if tokens.is_empty() {
            let at = self.tokens.get(tokens.start).map_or(self.text.len(), |t| t.start);
            return at..at;
        }
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end
    }

    /// The tokens of a range, with a space wherever the source has blanks.
    pub(crate) fn joined(&self, tokens: Range<usize>) -> String {
        let mut out = String::new();
        let tokens = tokens.start..tokens.end.min(self.tokens.len());
        for i in tokens.clone() {
            if i > tokens.start && self.tokens[i - 1].end != self.tokens[i].start {
                out.push(' ');
            }
            out.push_str(self.text(i));
        }
        out
    }

    /// The whole preprocessed line that token `i` stands on, and its offset in that line.
    pub(crate) fn line_of(&self, i: usize) -> (&str, usize) {
        let start = self.tokens.get(i).map_or(self.text.len(), |t| t.start);
        let from = self.text[..start].rfind('\n').map_or(0, |p| p + 1);
        let to = self.text[start..].find('\n').map_or(self.text.len(), |p| start + p);
        (&self.text[from..to], start - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_line_markers_and_pairs_brackets() {
        let s = Source::new("# 7 \"a.metal\"\nint f(int x) {\n  return x[[0]];\n}\n".into());
        assert_eq!(s.tokens[0].line, 7);
        assert_eq!(s.files[s.tokens[0].file], "a.metal");
        assert_eq!(s.tokens[8].line, 8, "{}", s.text(8));
        assert_eq!(s.mate(2), Some(5));
    }

    #[test]
    fn numbers_with_exponents_are_one_token() {
        let s = Source::new("1.5e-3f+0x1p-4f .5h 1'000".into());
        let all: Vec<_> = (0..s.tokens.len()).map(|i| s.text(i)).collect();
        assert_eq!(all, ["1.5e-3f", "+", "0x1p-4f", ".5h", "1'000"]);
    }

    #[test]
    fn spans_end_with_the_text() {
        let s = Source::new("a b".into());
        assert_eq!((s.span(0..5), s.joined(1..5)), (0..3, "b".into()));
        assert_eq!(s.span(2..5), 3..3);
    }

    #[test]
    fn unbalanced_text_never_panics() {
        for text in ["(((", "]]]", "\"abc", "'\\", "a[[b", "#", "# 3 \"x", "{)(}"] {
            let s = Source::new(text.into());
            for i in 0..s.tokens.len() {
                s.after_angles(i, s.tokens.len());
                s.is_attribute(i);
            }
        }
    }
}
