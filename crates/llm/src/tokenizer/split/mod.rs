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

use super::{
    byte_alphabet, chars,
    limits::{Growth, Watch},
};
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
    /// Cuts, or rewrites to as much as `growth` lets it.
    pub(crate) fn apply(
        &self,
        pieces: &mut Pieces<'_>,
        watch: &Watch<'_>,
        growth: Growth,
    ) -> Result<()> {
        watch.check_now()?;
        match self {
            Split::Pattern { pattern, behavior, invert } => {
                cut(pieces, *behavior, *invert, watch, |word, found| {
                    pattern.matches(word, watch, found)
                })
            }
            Split::Scan(scan) => pieces.recut(watch, |word, out| scan.cut(word, out)),
            Split::PrefixSpace => pieces.rewrite(growth, |_, word, out| {
                if !word.starts_with(' ') {
                    out.push(' ');
                }
                out.push_str(word);
            }),
            Split::Spell => {
                pieces.rewrite(growth, |_, word, out| out.push_str(&byte_alphabet::spell(word)))
            }
            Split::Metaspace { visible, prepend, split } => {
                metaspace(pieces, *visible, *prepend, growth)?;
                if !split {
                    return Ok(());
                }
                cut(pieces, Behavior::MergedWithNext, false, watch, |word, found| {
                    let mut matches = word.match_indices(*visible);
                    matches.try_for_each(|(at, text)| found(at..at + text.len()))
                })
            }
            Split::Whitespace => at_chars(pieces, Behavior::Removed, watch, char::is_whitespace),
            Split::Bert => {
                at_chars(pieces, Behavior::Removed, watch, char::is_whitespace)?;
                at_chars(pieces, Behavior::Isolated, watch, chars::is_punctuation)
            }
            Split::Punctuation(behavior) => {
                at_chars(pieces, *behavior, watch, chars::is_punctuation)
            }
            Split::Digits { individual: true } => {
                at_chars(pieces, Behavior::Isolated, watch, char::is_numeric)
            }
            Split::Digits { individual: false } => {
                at_chars(pieces, Behavior::Contiguous, watch, char::is_numeric)
            }
            Split::Delimiter(c) => at_chars(pieces, Behavior::Removed, watch, |x| x == *c),
            Split::Length(length) => pieces.recut(watch, |word, out| {
                let starts = word.char_indices().map(|(at, _)| at).step_by(*length);
                out.extend(starts.skip(1));
                out.push(word.len());
            }),
            Split::AtVisibleSpaces => pieces.recut(watch, at_visible_spaces),
        }
    }
}

fn at_chars(
    pieces: &mut Pieces<'_>,
    behavior: Behavior,
    watch: &Watch<'_>,
    is: impl Fn(char) -> bool,
) -> Result<()> {
    cut(pieces, behavior, false, watch, |word, found| {
        let mut matches = word.char_indices().filter(|(_, c)| is(*c));
        matches.try_for_each(|(at, c)| found(at..at + c.len_utf8()))
    })
}

/// Makes spaces visible, and puts them before words.
fn metaspace(
    pieces: &mut Pieces<'_>,
    visible: char,
    prepend: Prepend,
    growth: Growth,
) -> Result<()> {
    let at_start = pieces.at_start;
    pieces.rewrite(growth, |at, word, out| {
        let wanted = match prepend {
            Prepend::Always => true,
            Prepend::First => at_start && at == 0,
            Prepend::Never => false,
        };
        if wanted && !word.starts_with([' ', visible]) {
            out.push(visible);
        }
        out.extend(word.chars().map(|c| if c == ' ' { visible } else { c }));
    })
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
