//! Added tokens: pieces that are found in text before anything else happens to it.

use super::{
    limits::{Growth, MOST_ADDED, MOST_ADDED_BYTES, MOST_ADDED_BYTES_IN_ALL, Watch},
    normalize::{Normalize, normalize},
};
use crate::error::grouped;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Deserialize;

/// A token that is found as it stands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Added {
    pub(crate) id: u32,
    pub(crate) content: String,
    /// Only where no letters or digits are next to it.
    pub(crate) single_word: bool,
    /// It takes the spaces before it along.
    pub(crate) lstrip: bool,
    /// It takes the spaces after it along.
    pub(crate) rstrip: bool,
    /// It is looked for in normalised text.
    pub(crate) normalized: bool,
    /// It steers the model: found only if the caller trusts the text, and not shown.
    pub(crate) special: bool,
}

/// Text that is left, or a token that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'t> {
    Text(&'t str),
    Token(u32),
}

/// All added tokens, ready to be found.
#[derive(Clone)]
pub(crate) struct AddedTokens {
    tokens: Vec<Added>,
    raw: Finders,
    normalized: Finders,
}

/// Finders with and without special tokens.
#[derive(Clone)]
struct Finders {
    all: Finder,
    plain: Finder,
}

/// Finds some of the tokens.
#[derive(Clone)]
struct Finder {
    automaton: Option<AhoCorasick>,
    /// The token of each pattern.
    tokens: Vec<u32>,
}

/// With more bytes of words than this, a finder of one table row per byte would be too large.
const FEW_BYTES: usize = 4096;

/// Finds any of these words; `None` if there are too many.
pub(crate) fn automaton(kind: MatchKind, words: &[impl AsRef<[u8]>]) -> Option<AhoCorasick> {
    let bytes: usize = words.iter().map(|word| word.as_ref().len()).sum();
    let compact = (bytes > FEW_BYTES).then_some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(kind).kind(compact).build(words).ok()
}

impl AddedTokens {
    /// Checks the tokens and makes them ready; the error says what is wrong with them.
    pub(crate) fn new(tokens: Vec<Added>, steps: &[Normalize]) -> Result<AddedTokens, String> {
        if tokens.len() > MOST_ADDED {
            let count = grouped(tokens.len());
            return Err(format!("has {count} added tokens, more than {}", grouped(MOST_ADDED)));
        }
        if let Some(long) = tokens.iter().find(|token| token.content.len() > MOST_ADDED_BYTES) {
            let (id, len) = (long.id, grouped(long.content.len()));
            return Err(format!(
                "has an added token {id} of {len} bytes, more than {MOST_ADDED_BYTES}"
            ));
        }
        let watch = Watch::new(0, None);
        let mut contents = Vec::with_capacity(tokens.len());
        let mut bytes = 0;
        for token in &tokens {
            let content = token.content.as_str();
            let content = if token.normalized {
                let growth = Growth::of_piece(content.len());
                normalize(steps, content, &watch, growth)
                    .map_err(|_| {
                        format!("has an added token {} that normalizing multiplies", token.id)
                    })?
                    .into_owned()
            } else {
                content.to_owned()
            };
            bytes += content.len();
            if bytes > MOST_ADDED_BYTES_IN_ALL {
                let most = grouped(MOST_ADDED_BYTES_IN_ALL);
                return Err(format!("has added tokens of more than {most} bytes in all"));
            }
            contents.push(content);
        }
        let finder = |normalized: bool, special: bool| {
            let wanted = |index: &u32| {
                let token = &tokens[*index as usize];
                token.normalized == normalized
                    && (special || !token.special)
                    && !contents[*index as usize].is_empty()
            };
            Finder::new(&contents, (0..tokens.len() as u32).filter(wanted).collect())
        };
        let finders = |normalized: bool| -> Result<Finders, String> {
            Ok(Finders { all: finder(normalized, true)?, plain: finder(normalized, false)? })
        };
        Ok(AddedTokens { raw: finders(false)?, normalized: finders(true)?, tokens })
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Added> {
        self.tokens.iter()
    }

    /// Cuts text at the tokens that are looked for in it as it is.
    pub(crate) fn in_raw<'t>(&self, text: &'t str, special: bool) -> Vec<Segment<'t>> {
        self.raw.pick(special).cut(text, &self.tokens)
    }

    /// Cuts text at the tokens that are looked for after normalising.
    pub(crate) fn in_normalized<'t>(&self, text: &'t str, special: bool) -> Vec<Segment<'t>> {
        self.normalized.pick(special).cut(text, &self.tokens)
    }
}

impl Finders {
    fn pick(&self, special: bool) -> &Finder {
        if special { &self.all } else { &self.plain }
    }
}

impl Finder {
    /// Finds the contents of these tokens.
    fn new(contents: &[String], tokens: Vec<u32>) -> Result<Finder, String> {
        let words: Vec<&str> = tokens.iter().map(|&index| &*contents[index as usize]).collect();
        let automaton = match words.is_empty() {
            true => None,
            false => Some(
                automaton(MatchKind::LeftmostLongest, &words).ok_or("has too many added tokens")?,
            ),
        };
        Ok(Finder { automaton, tokens })
    }

    fn cut<'t>(&self, text: &'t str, added: &[Added]) -> Vec<Segment<'t>> {
        let mut segments = Vec::new();
        let mut at = 0;
        let matches = self.automaton.iter().flat_map(|a| a.find_iter(text));
        for found in matches {
            let token = &added[self.tokens[found.pattern().as_usize()] as usize];
            let (mut start, mut end) = (found.start(), found.end());
            if start < at || (token.single_word && !stands_alone(text, start, end)) {
                continue;
            }
            if token.lstrip {
                start = at + text[at..start].trim_end().len();
            }
            if token.rstrip {
                end = text.len() - text[end..].trim_start().len();
            }
            if start > at {
                segments.push(Segment::Text(&text[at..start]));
            }
            segments.push(Segment::Token(token.id));
            at = end;
        }
        if at < text.len() {
            segments.push(Segment::Text(&text[at..]));
        }
        segments
    }
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !text[..start].chars().next_back().is_some_and(is_word)
        && !text[end..].chars().next().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(token: Added, text: &str) -> String {
        let added = AddedTokens::new(vec![token], &[]).unwrap();
        let part = |segment: &Segment<'_>| match segment {
            Segment::Text(text) => format!("{text:?}"),
            Segment::Token(id) => id.to_string(),
        };
        let parts = added.in_raw(text, false);
        parts.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_are_found() {
        let token = Added { id: 7, content: "<s>".into(), ..Added::default() };
        assert_eq!(cut(token.clone(), "a <s> b<s>"), r#""a " 7 " b" 7"#);
        let lstrip = Added { lstrip: true, ..token.clone() };
        assert_eq!(cut(lstrip, "a  <s> b"), r#""a" 7 " b""#);
        let rstrip = Added { rstrip: true, ..token.clone() };
        assert_eq!(cut(rstrip, "<s> \n <s>b"), r#"7 7 "b""#);
        let special = Added { special: true, ..token.clone() };
        assert_eq!(cut(special, "a<s>"), r#""a<s>""#);
        let word = Added { content: "is".into(), single_word: true, ..token };
        assert_eq!(cut(word, "this is"), r#""this " 7"#);
    }
}
