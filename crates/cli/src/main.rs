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
use std::{env, io::Write, process::ExitCode};

/// Without a desktop, Mesa's drivers complain of that on stderr when they are asked which GPU is its
/// own. Nobody here asks.
fn no_desktop() {
    if cfg!(target_os = "linux") && env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: this is the only thread yet, so nobody else reads the environment.
        unsafe { env::set_var("NODEVICE_SELECT", "1") };
    }
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        if error.use_stderr() {
            fault::tell_programs(error.to_string().lines().next().unwrap_or_default());
        }
        error.exit()
    });
    no_desktop();
    interrupt::handle();
    let mut out = anstream::stdout().lock();
    let result = commands::run(cli, &mut out);
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.end(),
    }
}
