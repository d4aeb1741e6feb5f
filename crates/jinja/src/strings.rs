//! What filters and methods do to texts. Each is charged for the bytes it reads, and what it makes
//! is charged as it grows.

use crate::{
    error::Result,
    limits::Gauge,
    value::{ListBuilder, Text, TextBuilder, Value, is_space, text},
};

/// A text made character by character, each of which may become several.
pub(crate) fn mapped<I: IntoIterator<Item = char>>(
    meter: &Gauge,
    from: &str,
    mut change: impl FnMut(char) -> I,
) -> Result<Value> {
    meter.scan(4 * from.len())?;
    let mut out = TextBuilder::with_capacity(meter, from.len())?;
    for c in from.chars() {
        for c in change(c) {
            out.push(c)?;
        }
    }
    Ok(out.finish())
}

pub(crate) fn upper(meter: &Gauge, from: &str) -> Result<Value> {
    mapped(meter, from, char::to_uppercase)
}

/// Lower case; the sigma at the end of a word has a form of its own.
pub(crate) fn lower(meter: &Gauge, from: &str) -> Result<Value> {
    if from.contains('Σ') {
        meter.scan(8 * from.len())?;
        let _room = TextBuilder::with_capacity(meter, 2 * from.len())?;
        return text(meter, &from.to_lowercase());
    }
    mapped(meter, from, char::to_lowercase)
}

pub(crate) fn capitalize(meter: &Gauge, from: &str) -> Result<Value> {
    let mut first = true;
    mapped(meter, from, |c| cased(c, std::mem::take(&mut first)))
}

/// Both cases, as one type.
pub(crate) fn cased(c: char, upper: bool) -> impl Iterator<Item = char> {
    let upper = upper.then(|| c.to_uppercase());
    let lower = if upper.is_none() { Some(c.to_lowercase()) } else { None };
    upper.into_iter().flatten().chain(lower.into_iter().flatten())
}

/// Which ends are stripped.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Left,
    Right,
    Both,
}

/// Without whitespace, or without these characters.
pub(crate) fn strip<'a>(
    meter: &Gauge,
    from: &'a str,
    chars: Option<&str>,
    side: Side,
) -> Result<&'a str> {
    let strips = |c: char| match chars {
        None => is_space(c),
        Some(chars) => chars.contains(c),
    };
    // Each character may be looked for among all of `chars`.
    let cost = |stripped: usize| {
        (stripped as u64).saturating_mul(1 + chars.map_or(0, str::len) as u64 / 8)
    };
    meter.steps(1 + chars.map_or(0, str::len) as u64 / 4)?;
    let mut rest = from;
    if side != Side::Right {
        while let Some(c) = rest.chars().next().filter(|&c| strips(c)) {
            meter.steps(cost(1))?;
            rest = &rest[c.len_utf8()..];
        }
    }
    if side != Side::Left {
        while let Some(c) = rest.chars().next_back().filter(|&c| strips(c)) {
            meter.steps(cost(1))?;
            rest = &rest[..rest.len() - c.len_utf8()];
        }
    }
    Ok(rest)
}

/// A text with every `old`, or the first `count`, replaced.
pub(crate) fn replace(
    meter: &Gauge,
    from: &str,
    old: &str,
    new: &str,
    count: Option<usize>,
) -> Result<Value> {
    meter.scan(from.len() + old.len())?;
    let mut out = TextBuilder::new(meter)?;
    let mut end = 0;
    for (at, found) in from.match_indices(old).take(count.unwrap_or(usize::MAX)) {
        out.push_str(&from[end..at])?;
        out.push_str(new)?;
        end = at + found.len();
    }
    out.push_str(&from[end..])?;
    Ok(out.finish())
}

/// Python's `split`: at whitespace or at a text, at most `most` times, from the left or right.
pub(crate) fn split(
    meter: &Gauge,
    from: &str,
    separator: Option<&str>,
    most: usize,
    right: bool,
) -> Result<Value> {
    meter.scan(from.len() + separator.map_or(0, str::len))?;
    let mut parts = ListBuilder::new(meter)?;
    let mut rest = from;
    let mut count = 0;
    if separator.is_none() {
        rest =
            if right { rest.trim_end_matches(is_space) } else { rest.trim_start_matches(is_space) };
    }
    while count < most && (separator.is_some() || !rest.is_empty()) {
        let found = match (separator, right) {
            (Some(separator), false) => rest.find(separator).map(|at| (at, at + separator.len())),
            (Some(separator), true) => rest.rfind(separator).map(|at| (at, at + separator.len())),
            (None, false) => rest
                .find(is_space)
                .map(|at| (at, rest.len() - rest[at..].trim_start_matches(is_space).len())),
            (None, true) => rest
                .char_indices()
                .rfind(|&(_, c)| is_space(c))
                .map(|(at, c)| (rest[..at].trim_end_matches(is_space).len(), at + c.len_utf8())),
        };
        let Some((start, end)) = found else { break };
        let part = if right { &rest[end..] } else { &rest[..start] };
        parts.push(text(meter, part)?)?;
        rest = if right { &rest[..start] } else { &rest[end..] };
        count += 1;
    }
    // What is left; of whitespace on the far side nothing is.
    if separator.is_none() {
        rest = match count == most {
            true if right => rest.trim_end_matches(is_space),
            true => rest.trim_start_matches(is_space),
            false => rest,
        };
    }
    if separator.is_some() || !rest.is_empty() {
        parts.push(text(meter, rest)?)?;
    }
    if right {
        parts.items_mut().reverse();
    }
    parts.list()
}

/// The lines of a text, without what ends them unless `keep`.
pub(crate) fn lines(meter: &Gauge, from: &str, keep: bool) -> Result<ListBuilder> {
    meter.scan(from.len())?;
    let mut out = ListBuilder::new(meter)?;
    let mut rest = from;
    while !rest.is_empty() {
        let (end, next) = match rest.find(ends_line) {
            None => (rest.len(), rest.len()),
            Some(at) if rest[at..].starts_with("\r\n") => (at, at + 2),
            Some(at) => (at, rest.ceil_char_boundary(at + 1)),
        };
        out.push(text(meter, &rest[..if keep { next } else { end }])?)?;
        rest = &rest[next..];
    }
    Ok(out)
}

/// What `splitlines` splits at.
pub(crate) fn ends_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// A text with padding on both sides.
pub(crate) fn padded(
    meter: &Gauge,
    from: &Text,
    fill: &str,
    left: usize,
    right: usize,
) -> Result<Value> {
    let mut out = TextBuilder::new(meter)?;
    out.repeat(fill, left)?;
    out.push_str(from)?;
    out.repeat(fill, right)?;
    Ok(out.finish())
}

/// How much padding `center` puts on both sides.
pub(crate) fn centered(from: &Text, width: usize) -> (usize, usize) {
    let pad = width.saturating_sub(from.chars);
    let left = pad / 2 + (pad & width & 1);
    (left, pad - left)
}
