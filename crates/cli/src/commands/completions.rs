//! `bessemer completions`: so that the shell knows the rest of the word.

use crate::{args::Cli, fault::Fault};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  bessemer completions bash > ~/.local/share/bash-completion/completions/bessemer
  bessemer completions zsh > ~/.zfunc/_bessemer
  bessemer completions fish > ~/.config/fish/completions/bessemer.fish";

impl Completions {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        // Made in memory: the generator panics where a pipe is closed early.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "bessemer", &mut script);
        Ok(out.write_all(&script)?)
    }
}
