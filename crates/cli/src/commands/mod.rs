//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod devices;
pub(crate) mod embed;
pub(crate) mod inspect;
pub(crate) mod models;
pub(crate) mod perplexity;
pub(crate) mod program;
#[cfg(feature = "pull")]
pub(crate) mod pull;
pub(crate) mod quantize;
pub(crate) mod remove;
pub(crate) mod run;
#[cfg(feature = "server")]
pub(crate) mod serve;
pub(crate) mod tokenize;

use crate::{
    args::{Cli, Command},
    fault::Fault,
};
use std::io::Write;

pub(crate) fn run(cli: Cli, out: &mut dyn Write) -> Result<(), Fault> {
    match cli.command {
        Command::Run(on) => on.command.run(&on.global, out),
        Command::Chat(on) => on.command.run(&on.global, out),
        #[cfg(feature = "server")]
        Command::Serve(on) => on.command.run(&on.global, out),
        #[cfg(feature = "pull")]
        Command::Pull(command) => command.run(out),
        Command::Models(command) => command.run(out),
        Command::Remove(command) => command.run(out),
        Command::Inspect(command) => command.run(out),
        Command::Tokenize(command) => command.run(out),
        Command::Embed(on) => on.command.run(&on.global, out),
        Command::Perplexity(on) => on.command.run(&on.global, out),
        Command::Convert(on) => on.command.run(on.threads, out),
        Command::Quantize(on) => on.command.run(on.threads, out),
        Command::Devices(on) => on.command.run(on.threads, out),
        Command::Check(on) => on.command.run(&on.global, out),
        Command::Bench(command) => command.run(out),
        Command::Demo(on) => on.command.run(&on.global, out),
        Command::Program(command) => command.run(out),
        Command::Completions(command) => command.run(out),
    }
}
