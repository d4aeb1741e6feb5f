//! `bessemer program format`: programs in the one form all agree on.

use crate::{fault::Fault, files::write_whole};
use clap::Args;
use std::{io::Write, path::PathBuf};

/// Format a program; comments are not kept
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Format {
    /// The program file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write to this file instead of stdout; may be the input file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bessemer program format axpy.bp
  bessemer program format axpy.bp --out axpy.bp";

impl Format {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let program = super::read(&self.file)?;
        let text = program.to_string();
        let text = format!("{}\n", text.trim_end());
        match &self.out {
            Some(path) => write_whole(path, text.as_bytes())?,
            None => out.write_all(text.as_bytes())?,
        }
        Ok(())
    }
}
