//! The styles of the command's own words. In a text a style is a mark that only this process can write, so
//! that text from elsewhere has none; `terminal` turns marks into escape sequences or leaves them out.

use anstyle::AnsiColor;
use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

/// How words look: `{BOLD}words{BOLD:#}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style(u8);

pub(crate) const PLAIN: Style = Style(0);
pub(crate) const BOLD: Style = Style(1);
pub(crate) const DIM: Style = Style(2);
pub(crate) const GOOD: Style = Style(3);
pub(crate) const BAD: Style = Style(4);
pub(crate) const WARN: Style = Style(5);

/// The start of a mark; the number of a style follows, or 0 for the end of one.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\x1b{:016x}", RandomState::new().hash_one("bessemer")));

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &PLAIN => Ok(()),
            // At once: a mark must not be split over writes.
            Style(number) => {
                let number = if f.alternate() { 0 } else { *number };
                f.write_str(&format!("{}{number}", *MARK))
            }
        }
    }
}

/// The text before the first mark, the escape sequence it stands for, and the text after it.
pub(super) fn split(bytes: &[u8]) -> Option<(&[u8], String, &[u8])> {
    let mark = MARK.as_bytes();
    let starts = |at: &usize| bytes[*at] == mark[0] && bytes[*at..].starts_with(mark);
    let at = (0..bytes.len()).find(starts)?;
    let (&number, after) = bytes[at + mark.len()..].split_first()?;
    Some((&bytes[..at], sequence(number.wrapping_sub(b'0')), after))
}

fn sequence(number: u8) -> String {
    let style = match Style(number) {
        BOLD => anstyle::Style::new().bold(),
        DIM => anstyle::Style::new().dimmed(),
        GOOD => AnsiColor::Green.on_default(),
        BAD => AnsiColor::Red.on_default().bold(),
        WARN => AnsiColor::Yellow.on_default(),
        _ => return anstyle::Reset.to_string(),
    };
    style.to_string()
}
