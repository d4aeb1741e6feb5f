//! Wrong usage, as clap words it. The arguments in its texts come from outside, so they are shown as
//! everything else is: visible on a terminal, byte for byte in a pipe.

use crate::{
    args::Cli,
    fault,
    terminal::{Shows, is_hidden, visible},
};
use clap::{Parser, error::Error};
use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

/// Control characters of arguments stand so far behind their place while clap words its text: it leaves out
/// what looks like an escape sequence, with letters of what follows.
const AWAY: u32 = 0xF_0000;

/// Reads the command line; the exit code if there is nothing to run.
pub(crate) fn parse() -> Result<Cli, ExitCode> {
    Cli::try_parse_from(env::args_os().map(known)).map_err(|error| {
        if !error.use_stderr() {
            // Help that nobody reads is no error.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        let arguments = env::args_os().map(|argument| away(&known(argument).to_string_lossy()));
        let error = Cli::try_parse_from(arguments).err().unwrap_or(error);
        end(&error)
    })
}

/// Flags of llama-server that have two letters behind one dash, which clap takes for two flags.
fn known(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-np") => "--parallel".into(),
        Some("-ctk") => "--cache".into(),
        _ => argument,
    }
}

fn end(error: &Error) -> ExitCode {
    let (text, shows) = (error.render(), Shows::of(&io::stderr()));
    let said = if shows.colours { text.ansi().to_string() } else { text.to_string() };
    // If nobody reads it, the exit code still says it.
    let _ = io::stderr().write_all(back(&said, shows.terminal).as_bytes());
    fault::tell_programs(&summary(&back(&text.to_string(), false)));
    ExitCode::from(2)
}

/// The text with other characters in place of the hidden ones.
fn away(text: &str) -> String {
    let moved = |c: char| match is_hidden(c) {
        true => char::from_u32(u32::from(c) + AWAY).unwrap_or(c),
        false => c,
    };
    text.chars().map(moved).collect()
}

/// The text with its hidden characters again, or visible if it is for a terminal.
fn back(text: &str, terminal: bool) -> String {
    let mut own = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = u32::from(c).checked_sub(AWAY).and_then(char::from_u32);
        match hidden.filter(|&c| is_hidden(c)) {
            Some(c) if terminal => own.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
            Some(c) => own.push(c),
            None => own.push(c),
        }
    }
    own
}

/// What is wrong, on one line: what stands before the advice.
fn summary(said: &str) -> String {
    let lines = said.lines().take_while(|line| !line.is_empty());
    let words: Vec<&str> = lines.map(str::trim).collect();
    let words = words.join(" ");
    words.strip_prefix("error: ").map(str::to_owned).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_come_back() {
        let text = "a\x1b[31mb\u{9b}\u{202e}\n";
        assert!(!away(text).contains('\x1b'));
        assert_eq!(back(&away(text), false), text);
        assert_eq!(back(&format!("\x1b[1m{}", away("\x1b]x")), true), "\x1b[1m\\u001b]x");
    }

    #[test]
    fn a_summary_is_one_line_without_advice() {
        let said = "error: these are missing:\n  <IN>\n  <OUT>\n\nUsage: bessemer quantize\n";
        assert_eq!(summary(said), "these are missing: <IN> <OUT>");
    }
}
