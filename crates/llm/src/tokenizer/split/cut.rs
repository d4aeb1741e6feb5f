//! Cutting words at matches, and what becomes of the matches.

use super::Pieces;
use crate::{Result, tokenizer::limits::Watch};
use std::ops::Range;

/// What becomes of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub(crate) enum Behavior {
    /// It is dropped.
    Removed,
    /// It is a word.
    Isolated,
    /// It is the end of the word before it.
    MergedWithPrevious,
    /// It is the start of the word after it.
    MergedWithNext,
    /// Neighbouring matches are one word.
    Contiguous,
}

/// A part of a word, and whether it is a match.
type Part = (Range<usize>, bool);

/// Cuts each word. `find` reports a word's matches in order, apart from each other; with
/// `invert`, what lies between them is the match.
pub(super) fn cut(
    pieces: &mut Pieces<'_>,
    behavior: Behavior,
    invert: bool,
    watch: &Watch<'_>,
    find: impl Fn(&str, &mut dyn FnMut(Range<usize>) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut spans = Vec::with_capacity(pieces.spans.len());
    let (mut parts, mut arranged) = (Vec::new(), Vec::new());
    for span in &pieces.spans {
        let word = &pieces.text[span.clone()];
        watch.check()?;
        parts.clear();
        let mut at = 0;
        let mut part = |range: Range<usize>, is_match: bool| {
            if !range.is_empty() {
                parts.push((range, is_match));
            }
        };
        find(word, &mut |found| {
            part(at..found.start, invert);
            at = found.end;
            part(found, !invert);
            Ok(())
        })?;
        part(at..word.len(), invert);
        arrange(&parts, behavior, &mut arranged);
        let moved = arranged.drain(..);
        spans.extend(moved.map(|part| span.start + part.start..span.start + part.end));
    }
    pieces.spans = spans;
    Ok(())
}

/// Puts parts together as the behaviour says.
fn arrange(parts: &[Part], behavior: Behavior, out: &mut Vec<Range<usize>>) {
    match behavior {
        Behavior::Removed => {
            let kept = parts.iter().filter(|(_, is_match)| !is_match);
            out.extend(kept.map(|(range, _)| range.clone()));
        }
        Behavior::Isolated => out.extend(parts.iter().map(|(range, _)| range.clone())),
        Behavior::Contiguous => {
            for same in parts.chunk_by(|a, b| a.1 == b.1) {
                out.push(same[0].0.start..same[same.len() - 1].0.end);
            }
        }
        Behavior::MergedWithPrevious => {
            let mut after_match = false;
            for (range, is_match) in parts {
                match out.last_mut() {
                    Some(before) if *is_match && !after_match => before.end = range.end,
                    _ => out.push(range.clone()),
                }
                after_match = *is_match;
            }
        }
        Behavior::MergedWithNext => {
            let mut before_match = false;
            for (range, is_match) in parts.iter().rev() {
                match out.last_mut() {
                    Some(after) if *is_match && !before_match => after.start = range.start,
                    _ => out.push(range.clone()),
                }
                before_match = *is_match;
            }
            out.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn behaviours() {
        let run = |behavior, invert| {
            let mut pieces = Pieces::whole(Cow::Borrowed("the-final--countdown"), true);
            cut(&mut pieces, behavior, invert, &Watch::new(0, None), |word, found| {
                word.match_indices('-').try_for_each(|(at, _)| found(at..at + 1))
            })
            .unwrap();
            pieces.words().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(run(Behavior::Removed, false), "the final countdown");
        assert_eq!(run(Behavior::Removed, true), "- - -");
        assert_eq!(run(Behavior::Isolated, false), "the - final - - countdown");
        assert_eq!(run(Behavior::Contiguous, false), "the - final -- countdown");
        assert_eq!(run(Behavior::MergedWithPrevious, false), "the- final- - countdown");
        assert_eq!(run(Behavior::MergedWithNext, false), "the -final - -countdown");
    }
}
