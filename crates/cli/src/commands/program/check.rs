//! `bessemer program check`: reads and verifies programs.

use crate::{
    fault::Fault,
    text::{self, GOOD},
};
use bessemer::program::Form;
use clap::Args;
use std::{io::Write, path::PathBuf};

/// Parse and verify programs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// The program files, or - for stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bessemer program check axpy.bp
  bessemer program check kernels/*.bp

Errors give the file, line and column, and the rule that was broken.";

impl Check {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        for file in &self.files {
            let program = super::read(file)?;
            let form = match program.form() {
                Form::Map => "over elements",
                Form::Kernel => "over a grid",
            };
            let params = text::count(program.params().len(), "parameter");
            let registers = text::count(program.registers().len(), "register");
            writeln!(
                out,
                "{}: {GOOD}ok{GOOD:#}: {} {form}, {params}, {registers}",
                file.display(),
                program.name()
            )?;
        }
        Ok(())
    }
}
