//! The `bessemer` command: what a person at a terminal sees of bessemer.
//!
//! Here: the entry, and how errors and exit codes are told. Each command has a file of its own in
//! `commands`; nothing that a library user would need too lives in this crate.

mod args;
mod builtin;
mod commands;
mod fault;
mod files;
mod generate;
mod input;
mod interrupt;
mod model;
mod progress;
mod text;

use args::Cli;
use clap::Parser;
use std::{io::Write, process::ExitCode};

fn main() -> ExitCode {
    let cli = Cli::parse();
    interrupt::handle();
    let mut out = anstream::stdout().lock();
    let result = commands::run(cli, &mut out);
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.tell(),
    }
}
