//! Patterns given by a tokenizer's file: found in time that is linear in the text where that is
//! possible, else by an engine that goes back, in windows of bounded length.

use crate::{
    Error, Result,
    error::{PUBLISHED, short},
    tokenizer::limits::{Growth, Watch},
};
use fancy_regex::{Regex, RegexBuilder};
use std::ops::Range;

/// A text or a regular expression.
#[derive(Clone)]
pub(crate) enum Pattern {
    Text(String),
    Regex(Box<Expression>),
}

/// A regular expression and how it is matched.
#[derive(Clone)]
pub(crate) struct Expression {
    regex: Regex,
    engine: Engine,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// Each search is one pass over the text.
    Linear,
    /// The same, with [`SPACES`] at the end made a group: the number of the group.
    LinearWithSpaces(usize),
    /// Each search may go back.
    Backtracking,
}

/// How nearly all expressions since GPT-2 end: a run of spaces, without the last one if something
/// follows, which goes with that. Doing this by hand saves them looking ahead.
const SPACES: [&str; 2] = [r"|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s"];

/// The longest expression anyone may ask for; real ones have a few hundred characters.
const MOST_BYTES: usize = 8192;

/// How large an expression may become: real ones take half of it.
const MOST_COMPILED: usize = 1 << 20;
/// With backtracking: of each part that is linear in itself, and how many instructions combine them.
const MOST_COMPILED_PART: usize = 256 << 10;
const MOST_INSTRUCTIONS: usize = 128;

/// A search that goes back sees so much of the text from where it starts, and so much around that.
/// A longer match is cut; only runs of thousands of the same kind of character have such matches.
const WINDOW: usize = 16 << 10;
const CONTEXT: usize = 1 << 10;
/// Steps back within a window: one per place that has no match, and some for each that has.
const MOST_STEPS: usize = 3 * WINDOW;

impl Pattern {
    /// Compiles an expression; the error says what is wrong with it.
    pub(crate) fn regex(source: &str) -> Result<Pattern, String> {
        if source.len() > MOST_BYTES {
            let len = source.len();
            return Err(format!("a pattern of {len} bytes, more than {MOST_BYTES},"));
        }
        let expression = match (with_spaces(source), linear(source)) {
            (Some(expression), _) => expression,
            (None, Ok(regex)) => Expression { regex, engine: Engine::Linear },
            (None, Err(_)) => {
                let regex = RegexBuilder::new(source)
                    .backtrack_limit(MOST_STEPS)
                    .delegate_size_limit(MOST_COMPILED_PART)
                    .delegate_dfa_size_limit(MOST_COMPILED_PART)
                    .max_prog_size(MOST_INSTRUCTIONS)
                    .build()
                    .map_err(|e| format!("pattern {source:?} ({e})"))?;
                Expression { regex, engine: Engine::Backtracking }
            }
        };
        Ok(Pattern::Regex(Box::new(expression)))
    }

    /// Whether it is an expression, and whether one that goes back.
    pub(crate) fn cost(&self) -> (bool, bool) {
        match self {
            Pattern::Text(_) => (false, false),
            Pattern::Regex(expression) => (true, expression.engine == Engine::Backtracking),
        }
    }

    /// Reports each match, from left to right.
    pub(crate) fn matches(
        &self,
        text: &str,
        watch: &Watch<'_>,
        found: &mut dyn FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Pattern::Text(part) if part.is_empty() => Ok(()),
            Pattern::Text(part) => text.match_indices(part).try_for_each(|(at, _)| {
                watch.check()?;
                found(at..at + part.len())
            }),
            Pattern::Regex(expression) => {
                let mut matches = Matches { expression, text, at: 0, last: None };
                while let Some(range) = matches.next(watch)? {
                    found(range)?;
                }
                Ok(())
            }
        }
    }

    /// The text with each match replaced; `None` if there is none.
    pub(crate) fn replace(
        &self,
        text: &str,
        content: &str,
        watch: &Watch<'_>,
        growth: Growth,
    ) -> Result<Option<String>> {
        let (mut new, mut at, mut any) = (String::new(), 0, false);
        self.matches(text, watch, &mut |found| {
            let before = &text[at..found.start];
            growth.check(new.len() + before.len() + content.len())?;
            new.push_str(before);
            new.push_str(content);
            (at, any) = (found.end, true);
            Ok(())
        })?;
        if !any {
            return Ok(None);
        }
        growth.check(new.len() + text.len() - at)?;
        new.push_str(&text[at..]);
        Ok(Some(new))
    }
}

/// Compiles an expression that needs no backtracking; an error if it does.
fn linear(source: &str) -> fancy_regex::Result<Regex> {
    RegexBuilder::new(source)
        .delegate_size_limit(MOST_COMPILED)
        .delegate_dfa_size_limit(MOST_COMPILED)
        // One instruction: all of it goes to the linear engine.
        .max_prog_size(1)
        .build()
}

/// The expression with [`SPACES`] at its end as a group, if it has them and is linear then.
fn with_spaces(source: &str) -> Option<Expression> {
    let rest = SPACES.iter().find_map(|end| source.strip_suffix(end))?;
    let escapes = rest.bytes().rev().take_while(|b| *b == b'\\').count();
    if !escapes.is_multiple_of(2) {
        return None;
    }
    let regex = linear(&format!(r"{rest}|(\s+)")).ok()?;
    let group = regex.captures_len() - 1;
    Some(Expression { regex, engine: Engine::LinearWithSpaces(group) })
}

/// The matches of an expression in a text.
struct Matches<'a> {
    expression: &'a Expression,
    text: &'a str,
    /// Where the next search starts.
    at: usize,
    /// Where the last match ended: an empty one there does not count.
    last: Option<usize>,
}

impl Matches<'_> {
    fn next(&mut self, watch: &Watch<'_>) -> Result<Option<Range<usize>>> {
        loop {
            if self.at > self.text.len() {
                return Ok(None);
            }
            let found = match self.expression.engine {
                Engine::Backtracking => self.in_windows(watch)?,
                _ => {
                    watch.check()?;
                    self.expression.find(self.text, self.at)?
                }
            };
            let Some(range) = found else { return Ok(None) };
            self.at = range.end;
            if range.is_empty() {
                self.at += self.text[range.end..].chars().next().map_or(1, char::len_utf8);
                if self.last == Some(range.end) {
                    continue;
                }
            }
            self.last = Some(range.end);
            return Ok(Some(range));
        }
    }

    /// The next match of an expression that goes back, which never sees more than a window.
    fn in_windows(&mut self, watch: &Watch<'_>) -> Result<Option<Range<usize>>> {
        let text = self.text;
        loop {
            watch.check_now()?;
            let from = text.floor_char_boundary(self.at.saturating_sub(CONTEXT));
            let to = text.floor_char_boundary(self.at.saturating_add(WINDOW));
            let whole = to == text.len();
            let trusted = text.floor_char_boundary(to - CONTEXT.min(to - self.at));
            let found = self.expression.find(&text[from..to], self.at - from)?;
            match found.map(|found| found.start + from..found.end + from) {
                // It may look at what follows, or go on there: with more of that, if there is more.
                Some(found) if !whole && found.end > trusted && found.start > self.at => {
                    self.at = found.start;
                }
                None if !whole => self.at = trusted,
                found => return Ok(found),
            }
        }
    }
}

impl Expression {
    fn find(&self, text: &str, at: usize) -> Result<Option<Range<usize>>> {
        let failed = |_| {
            let source = short(self.regex.as_str().to_owned());
            Error::Tokenizer(format!("pattern `{source}` takes too many steps; {PUBLISHED}"))
        };
        let Some(found) = self.regex.find_from_pos(text, at).map_err(failed)? else {
            return Ok(None);
        };
        let mut range = found.range();
        if let Engine::LinearWithSpaces(group) = self.engine
            && range.end < text.len()
            && let Some((last, c)) = found.as_str().char_indices().next_back()
            && last > 0
            && c.is_whitespace()
        {
            // Only now is it worth asking which part of the expression has matched.
            let groups = self.regex.captures_from_pos(text, range.start).map_err(failed)?;
            if groups.is_some_and(|groups| groups.get(group).is_some()) {
                range.end = range.start + last;
            }
        }
        Ok(Some(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pattern: &Pattern, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let watch = Watch::new(text.len(), None);
        let push = &mut |range| {
            found.push(range);
            Ok(())
        };
        pattern.matches(text, &watch, push).unwrap();
        found
    }

    fn engine(pattern: &Pattern) -> Engine {
        let Pattern::Regex(expression) = pattern else { panic!("not an expression") };
        expression.engine
    }

    const SOURCES: [&str; 6] = [
        r"'s| ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"(?i:'s)|(a)(b)|\s+(?!\S)|\s",
        r"\s+(?!\S)|\s+",
        r"a\|\s+(?!\S)|\s+",
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\s+",
        r"a*|(?<=b)c",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn matches_are_those_of_the_expression(text in "[abc's |1-9\n\u{a0}é漢]{0,40}") {
            for source in SOURCES {
                let wanted: Vec<_> =
                    Regex::new(source).unwrap().find_iter(&text).map(|m| m.unwrap().range()).collect();
                let found = all(&Pattern::regex(source).unwrap(), &text);
                prop_assert_eq!(found, wanted, "{} in {:?}", source, text);
            }
        }
    }

    #[test]
    fn windows_change_nothing() {
        let pattern = Pattern::regex(SOURCES[4]).unwrap();
        assert!(engine(&pattern) == Engine::Backtracking);
        let text = "12345 words, 漢字 and 1234567 ".repeat(4000);
        let regex = Regex::new(SOURCES[4]).unwrap();
        let wanted: Vec<_> = regex.find_iter(&text).map(|m| m.unwrap().range()).collect();
        assert_eq!(all(&pattern, &text), wanted);
        let none = "x".repeat(100_000);
        assert!(all(&pattern, &none).is_empty());
        // Nothing of a long run is lost.
        let pattern = Pattern::regex(r"(?<!x)\s+(?!\S)|\s+").unwrap();
        let found = all(&pattern, &" ".repeat(1 << 20));
        assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((found[0].start, found[found.len() - 1].end), (0, 1 << 20));
    }

    #[test]
    fn the_usual_end_is_linear() {
        assert!(engine(&Pattern::regex(SOURCES[0]).unwrap()) == Engine::LinearWithSpaces(1));
        assert!(engine(&Pattern::regex(SOURCES[1]).unwrap()) == Engine::LinearWithSpaces(3));
        assert!(engine(&Pattern::regex(SOURCES[3]).unwrap()) == Engine::Backtracking);
        assert!(engine(&Pattern::regex(r"\w+|[^\w\s]+").unwrap()) == Engine::Linear);
        assert_eq!(all(&Pattern::regex(SOURCES[0]).unwrap(), &" ".repeat(2 << 20)).len(), 1);
    }
}
