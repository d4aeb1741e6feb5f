//! `bessemer rm`: removes a model from the folder of models.

use crate::{fault::Fault, text};
use anyhow::anyhow;
use bessemer_store::Store;
use clap::Args;
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};

/// Remove a downloaded model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Remove {
    /// A name from `bessemer models`
    name: String,

    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,

    /// Print JSON: the model's name and size in bytes
    #[arg(long, requires = "yes")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer rm smollm2
  bessemer rm --yes OWNER/REPO/FILE

Processes that use the model keep running; the disk space is freed when they end.";

impl Remove {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let store = Store::of_user()?;
        let Some(entry) = store.find(&self.name)? else {
            let (name, folder) = (&self.name, store.folder().display());
            let remedy = "`bessemer models` lists what is there; other files are yours to remove";
            return Err(anyhow!("no model `{name}` in {folder}: {remedy}").into());
        };
        let size = text::bytes(entry.bytes as usize);
        if !self.yes {
            if !io::stdin().is_terminal() {
                let why = format!("nobody to ask whether to remove {}: use --yes", entry.name);
                return Err(Fault::usage(why));
            }
            write!(out, "remove {} ({size})? [y/N] ", entry.path.display())?;
            out.flush()?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
                return Ok(writeln!(out, "kept")?);
            }
        }
        store.remove(&entry)?;
        if self.json {
            let value = json!({ "removed": entry.name, "bytes": entry.bytes });
            return Ok(writeln!(out, "{value}")?);
        }
        Ok(writeln!(out, "removed {} ({size})", entry.name)?)
    }
}
