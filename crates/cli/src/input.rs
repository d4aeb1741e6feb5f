//! Text that a command is given: as an argument, or on stdin.

use crate::fault::Fault;
use anyhow::Context;
use std::io::{self, IsTerminal, Read};

/// The argument, or all of stdin if there is none or it is `-`. `what` says what is missing if
/// nobody is going to type it.
pub(crate) fn text(argument: Option<String>, what: &str) -> Result<String, Fault> {
    match argument {
        Some(text) if text != "-" => Ok(text),
        None if io::stdin().is_terminal() => {
            Err(Fault::usage(format!("{what}: none was given; pass it as an argument or on stdin")))
        }
        _ => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).context("stdin: cannot be read as UTF-8 text")?;
            Ok(text)
        }
    }
}
