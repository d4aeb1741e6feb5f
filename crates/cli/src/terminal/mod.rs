//! stdout and stderr. Everything that is written may come from a file, a model, a server or an argument: a
//! terminal gets it with control characters made visible, a pipe byte for byte. Only a [`Style`] styles.

mod style;
mod visible;
mod wrap;

pub(crate) use style::{BAD, BOLD, DIM, GOOD, PLAIN, Style, WARN};
pub(crate) use visible::{is_hidden, visible};
pub(crate) use wrap::Wrap;

use std::{
    fmt,
    io::{self, IsTerminal, StderrLock, StdoutLock, Write},
};

/// A stream that people or programs read.
pub(crate) struct Screen<W> {
    inner: W,
    shows: Shows,
}

/// What a stream shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shows {
    /// It is a terminal, which would obey control characters.
    pub(crate) terminal: bool,
    pub(crate) colours: bool,
}

impl Shows {
    /// What `stream` shows, by what it is and by `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM`.
    pub(crate) fn of(stream: &impl IsTerminal) -> Shows {
        let terminal = stream.is_terminal();
        let usual = terminal
            && anstyle_query::clicolor().unwrap_or(true)
            && anstyle_query::term_supports_color();
        // Consoles of Windows are asked to understand colours first, and old ones refuse.
        let understood = || anstyle_query::windows::enable_ansi_colors() != Some(false);
        let wanted = anstyle_query::clicolor_force() || usual && understood();
        Shows { terminal, colours: wanted && !anstyle_query::no_color() }
    }
}

pub(crate) fn stdout() -> Screen<StdoutLock<'static>> {
    let inner = io::stdout().lock();
    Screen { shows: Shows::of(&inner), inner }
}

pub(crate) fn stderr() -> Screen<StderrLock<'static>> {
    let inner = io::stderr().lock();
    Screen { shows: Shows::of(&inner), inner }
}

/// The columns of the terminal that stdout is; `None` if it is none.
pub(crate) fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0)).filter(|&columns| columns > 0)
}

/// Writes a line to stderr.
macro_rules! tell {
    ($($words:tt)*) => { $crate::terminal::tell_line(format_args!($($words)*)) };
}
pub(crate) use tell;

pub(crate) fn tell_line(words: fmt::Arguments<'_>) {
    // If nobody can read it, there is nobody to tell.
    let _ = stderr().write_all(format!("{words}\n").as_bytes());
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write_all(&shown(bytes, self.shows))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// What is sent to a stream for `bytes`. Each style is whole in one write: its `Display` writes it at once.
fn shown(bytes: &[u8], shows: Shows) -> Vec<u8> {
    let mut sent = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((before, style, after)) = style::split(rest) {
        push(before, shows, &mut sent);
        if shows.colours {
            sent.extend_from_slice(style.as_bytes());
        }
        rest = after;
    }
    push(rest, shows, &mut sent);
    sent
}

fn push(bytes: &[u8], shows: Shows, sent: &mut Vec<u8>) {
    if shows.terminal {
        sent.extend_from_slice(visible(&String::from_utf8_lossy(bytes)).as_bytes());
    } else {
        sent.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, terminal: bool, colours: bool) -> String {
        let mut screen = Screen { inner: Vec::new(), shows: Shows { terminal, colours } };
        write!(screen, "{text}").unwrap();
        String::from_utf8(screen.inner).unwrap()
    }

    #[test]
    fn a_terminal_sees_control_characters_and_obeys_only_styles() {
        let text = format!("{BOLD}a\x1b]0;title\x07{BOLD:#}\t\u{202e}b\n");
        let seen = "a\\u001b]0;title\\u0007";
        assert_eq!(written(&text, true, true), format!("\x1b[1m{seen}\x1b[0m\t\\u202eb\n"));
        assert_eq!(written(&text, true, false), format!("{seen}\t\\u202eb\n"));
        assert_eq!(written(&text, false, false), "a\x1b]0;title\x07\t\u{202e}b\n");
        assert_eq!(written(&format!("{PLAIN}x{PLAIN:#}"), true, true), "x");
    }

    #[test]
    fn nobody_else_can_write_a_style() {
        for fake in ["\x1b[1mx", "\x1b0000000000000000", "\x1b"] {
            assert_eq!(written(fake, true, true), fake.replace('\x1b', "\\u001b"));
            assert_eq!(written(fake, false, true), fake);
        }
    }
}
