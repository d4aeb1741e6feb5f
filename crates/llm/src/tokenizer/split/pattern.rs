//! Patterns given by a tokenizer's file.

use crate::{Error, Result};
use fancy_regex::{Regex, RegexBuilder};
use std::ops::Range;

/// A text or a regular expression.
#[derive(Clone)]
pub(crate) enum Pattern {
    Text(String),
    Regex(Box<Regex>),
}

/// The longest expression anyone may ask for; real ones have a few hundred characters.
const MOST_CHARS: usize = 20_000;

/// Steps an expression may take back at one place: more is an attack, not a tokenizer.
const MOST_STEPS: usize = 1_000_000;

impl Pattern {
    pub(crate) fn regex(source: &str) -> Result<Pattern, String> {
        if source.len() > MOST_CHARS {
            return Err(format!("a pattern of {} bytes", source.len()));
        }
        RegexBuilder::new(source)
            .backtrack_limit(MOST_STEPS)
            .delegate_size_limit(10 << 20)
            .build()
            .map(|regex| Pattern::Regex(Box::new(regex)))
            .map_err(|e| format!("pattern {source:?}: {e}"))
    }

    /// Reports each match, from left to right.
    pub(crate) fn matches(&self, text: &str, found: &mut dyn FnMut(Range<usize>)) -> Result<()> {
        match self {
            Pattern::Text(part) if part.is_empty() => {}
            Pattern::Text(part) => {
                text.match_indices(part).for_each(|(at, _)| found(at..at + part.len()))
            }
            Pattern::Regex(regex) => {
                for matched in regex.find_iter(text) {
                    let matched =
                        matched.map_err(|e| Error::Tokenizer(format!("pattern {regex}: {e}")))?;
                    found(matched.range());
                }
            }
        }
        Ok(())
    }
}
