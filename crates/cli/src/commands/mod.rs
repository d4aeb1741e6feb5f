//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod devices;
pub(crate) mod program;

use crate::{
    args::{Cli, Command},
    fault::Fault,
};
use std::io::Write;

pub(crate) fn run(cli: Cli, out: &mut dyn Write) -> Result<(), Fault> {
    let global = &cli.global;
    match cli.command {
        Command::Devices(command) => command.run(global, out),
        Command::Check(command) => command.run(global, out),
        Command::Bench(command) => command.run(global, out),
        Command::Demo(command) => command.run(global, out),
        Command::Program(command) => command.run(global, out),
        Command::Completions(command) => command.run(out),
    }
}
