//! `bessemer program`: programs of the instruction set, from files.

mod arguments;
mod check;
mod format;
mod run;

use crate::{args::OnDevice, fault::Fault};
use anyhow::{Context, Result};
use bessemer::program::Program;
use clap::{Args, Subcommand};
use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
};

/// Run, check and format programs
#[derive(Debug, Args)]
pub(crate) struct Programs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Run(OnDevice<run::Run>),
    Check(check::Check),
    Format(format::Format),
}

impl Programs {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        match self.what {
            What::Run(on) => on.command.run(&on.global, out),
            What::Check(command) => command.run(out),
            What::Format(command) => command.run(out),
        }
    }
}

/// Reads and verifies the program in a file.
fn read(path: &Path) -> Result<Program> {
    let (name, text) = text(path)?;
    Ok(Program::parse(&name, &text)?)
}

/// The name of a file, for messages, and its text; `-` is stdin.
fn text(path: &Path) -> Result<(String, String)> {
    let mut bytes = Vec::new();
    let (name, read) = match is_stdin(path) {
        true => ("stdin".to_owned(), io::stdin().read_to_end(&mut bytes).map(drop)),
        false => (path.display().to_string(), fs::read(path).map(|read| bytes = read)),
    };
    read.with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8(bytes)
        .with_context(|| format!("{name} is not text; a program is in UTF-8"))?;
    Ok((name, text))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
