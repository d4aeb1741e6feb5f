//! Cutting text into words before a model sees it: the pre-tokenizers.

mod cut;
mod families;
mod pattern;
mod pieces;
mod scan;

pub(crate) use cut::Behavior;
pub(crate) use families::family;
pub(crate) use pattern::Pattern;
pub(crate) use pieces::Pieces;
pub(crate) use scan::Scan;

use super::{byte_alphabet, chars};
use crate::Result;
use cut::cut;

/// The character that stands for a space in SentencePiece's vocabularies.
pub(crate) const VISIBLE_SPACE: char = '▁';

/// One step of cutting.
#[derive(Clone)]
pub(crate) enum Split {
    /// At the matches of a pattern; inverted, at what lies between them.
    Pattern { pattern: Pattern, behavior: Behavior, invert: bool },
    /// By one of the well-known patterns, fast.
    Scan(Scan),
    /// A space before each word that has none.
    PrefixSpace,
    /// Each byte becomes a character of the byte alphabet.
    Spell,
    /// Spaces become visible and start words.
    Metaspace { visible: char, prepend: Prepend, split: bool },
    /// At spaces, which go.
    Whitespace,
    /// As BERT: at spaces, which go, and every sign for itself.
    Bert,
    /// At signs.
    Punctuation(Behavior),
    /// At digits, single or in runs.
    Digits { individual: bool },
    /// At this character, which goes.
    Delimiter(char),
    /// Every so many characters.
    Length(usize),
    /// Before each visible space that follows something else. Only for vocabularies without a
    /// token across such a place: it then changes nothing but the time taken.
    AtVisibleSpaces,
}

/// Which words get a visible space before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Prepend {
    /// Each.
    Always,
    /// The first of all text.
    First,
    /// None.
    Never,
}

impl Split {
    pub(crate) fn apply(&self, pieces: &mut Pieces<'_>) -> Result<()> {
        match self {
            Split::Pattern { pattern, behavior, invert } => {
                cut(pieces, *behavior, *invert, |word, found| pattern.matches(word, found))
            }
            Split::Scan(scan) => {
                pieces.recut(|word, out| scan.cut(word, out));
                Ok(())
            }
            Split::PrefixSpace => {
                pieces.rewrite(|_, word, out| {
                    if !word.starts_with(' ') {
                        out.push(' ');
                    }
                    out.push_str(word);
                });
                Ok(())
            }
            Split::Spell => {
                pieces.rewrite(|_, word, out| out.push_str(&byte_alphabet::spell(word)));
                Ok(())
            }
            Split::Metaspace { visible, prepend, split } => {
                metaspace(pieces, *visible, *prepend, *split)
            }
            Split::Whitespace => at_chars(pieces, Behavior::Removed, char::is_whitespace),
            Split::Bert => {
                at_chars(pieces, Behavior::Removed, char::is_whitespace)?;
                at_chars(pieces, Behavior::Isolated, chars::is_punctuation)
            }
            Split::Punctuation(behavior) => at_chars(pieces, *behavior, chars::is_punctuation),
            Split::Digits { individual: true } => {
                at_chars(pieces, Behavior::Isolated, char::is_numeric)
            }
            Split::Digits { individual: false } => {
                at_chars(pieces, Behavior::Contiguous, char::is_numeric)
            }
            Split::Delimiter(c) => at_chars(pieces, Behavior::Removed, |x| x == *c),
            Split::Length(length) => {
                pieces.recut(|word, out| {
                    let starts = word.char_indices().map(|(at, _)| at).step_by(*length);
                    out.extend(starts.skip(1));
                    out.push(word.len());
                });
                Ok(())
            }
            Split::AtVisibleSpaces => {
                pieces.recut(at_visible_spaces);
                Ok(())
            }
        }
    }
}

fn at_chars(pieces: &mut Pieces<'_>, behavior: Behavior, is: impl Fn(char) -> bool) -> Result<()> {
    cut(pieces, behavior, false, |word, found| {
        let matches = word.char_indices().filter(|(_, c)| is(*c));
        matches.for_each(|(at, c)| found(at..at + c.len_utf8()));
        Ok(())
    })
}

fn metaspace(pieces: &mut Pieces<'_>, visible: char, prepend: Prepend, split: bool) -> Result<()> {
    let at_start = pieces.at_start;
    pieces.rewrite(|at, word, out| {
        let wanted = match prepend {
            Prepend::Always => true,
            Prepend::First => at_start && at == 0,
            Prepend::Never => false,
        };
        if wanted && !word.starts_with([' ', visible]) {
            out.push(visible);
        }
        out.extend(word.chars().map(|c| if c == ' ' { visible } else { c }));
    });
    if split {
        cut(pieces, Behavior::MergedWithNext, false, |word, found| {
            let matches = word.match_indices(visible);
            matches.for_each(|(at, text)| found(at..at + text.len()));
            Ok(())
        })?;
    }
    Ok(())
}

fn at_visible_spaces(word: &str, out: &mut Vec<usize>) {
    let mut text_before = false;
    for (at, c) in word.char_indices() {
        if c == VISIBLE_SPACE && text_before {
            out.push(at);
        }
        text_before = c != VISIBLE_SPACE;
    }
    out.push(word.len());
}
