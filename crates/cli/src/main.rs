//! The `bessemer` command.
//!
//! This file has the entry point and maps errors to exit codes. Each command has its own file in
//! `commands`. Code that a library user would need too belongs in the libraries.

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
mod terminal;
mod text;
mod usage;
mod values;

use std::{env, io::Write, process::ExitCode};

/// Without a desktop, Mesa's device selection layer prints a warning to stderr. This turns the layer
/// off: nothing here needs it.
fn no_desktop() {
    if cfg!(target_os = "linux") && env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: this is the only thread yet, so nobody else reads the environment.
        unsafe { env::set_var("NODEVICE_SELECT", "1") };
    }
}

fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    no_desktop();
    interrupt::handle();
    let mut out = terminal::stdout();
    let result = commands::run(cli, &mut out);
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.end(),
    }
}
