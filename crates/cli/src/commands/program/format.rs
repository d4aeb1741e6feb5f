//! `bessemer program format`: programs in the one layout all agree on.

use crate::{fault::Fault, files::write_whole};
use bessemer::program::Program;
use clap::Args;
use std::{io::Write, path::PathBuf};

/// Format programs; names and comments are kept
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Format {
    /// The program files, or - for stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write to this file instead of stdout; may be the input file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["write", "check"])]
    out: Option<PathBuf>,

    /// Rewrite the files that are not formatted
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// List the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer program format axpy.bp
  bessemer program format kernels/*.bp --write
  bessemer program format kernels/*.bp --check
  bessemer program format - < axpy.bp";

impl Format {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        if self.files.len() > 1 && !self.write && !self.check {
            let given = self.files.len();
            return Err(Fault::usage(format!("{given} files are given; use --write or --check")));
        }
        if self.write && self.files.iter().any(|file| super::is_stdin(file)) {
            return Err(Fault::usage("stdin cannot be rewritten; leave out --write"));
        }
        let mut all_formatted = true;
        for file in &self.files {
            let (name, text) = super::text(file)?;
            let formatted = Program::format(&name, &text).map_err(anyhow::Error::from)?;
            match &self.out {
                Some(path) => write_whole(path, formatted.as_bytes())?,
                None if self.check => {
                    if formatted != text {
                        all_formatted = false;
                        writeln!(out, "{name}")?;
                    }
                }
                None if self.write => {
                    if formatted != text {
                        write_whole(file, formatted.as_bytes())?;
                    }
                }
                None => out.write_all(formatted.as_bytes())?,
            }
        }
        if all_formatted { Ok(()) } else { Err(Fault::Told) }
    }
}
