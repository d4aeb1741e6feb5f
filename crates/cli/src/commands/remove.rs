//! `bessemer rm`: removes a model, or what an interrupted pull left, from the folder of models.

use crate::{fault::Fault, text};
use anyhow::anyhow;
use bessemer_store::{Entry, Partial, Store};
use clap::Args;
use serde_json::json;
use std::{
    ffi::OsString,
    io::{self, BufRead, IsTerminal, Write},
};

/// Remove a downloaded model, or a partial download
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Remove {
    /// A name from `bessemer models`
    name: OsString,

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

/// What there is by a name.
enum Found {
    Model(Entry),
    Partial(Partial),
}

impl Remove {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let store = Store::of_user()?;
        let found = self.find(&store)?;
        let (name, path, bytes) = match &found {
            Found::Model(model) => (&model.name, &model.path, model.bytes),
            Found::Partial(partial) => (&partial.name, &partial.path, partial.bytes),
        };
        let size = match &found {
            Found::Model(_) => text::bytes(bytes as usize),
            Found::Partial(_) => format!("partial, {}", text::bytes(bytes as usize)),
        };
        if !self.yes {
            if !io::stdin().is_terminal() {
                let why = "stdin is not a terminal to ask on; pass --yes to remove it";
                return Err(Fault::usage(format!("{name}: {why}")));
            }
            write!(out, "remove {} ({size})? [y/N] ", path.display())?;
            out.flush()?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
                return Ok(writeln!(out, "kept")?);
            }
        }
        match &found {
            Found::Model(model) => store.remove(model)?,
            Found::Partial(partial) => store.remove_partial(partial)?,
        }
        if self.json {
            return Ok(writeln!(out, "{}", json!({ "removed": name, "bytes": bytes }))?);
        }
        Ok(writeln!(out, "removed {name} ({size})")?)
    }

    fn find(&self, store: &Store) -> Result<Found, Fault> {
        if let Some(entry) = store.find(&self.name)? {
            return Ok(Found::Model(entry));
        }
        let name = self.name.to_string_lossy();
        if let Some(partial) = store.find_partial(&name)? {
            return Ok(Found::Partial(partial));
        }
        let folder = store.folder().display();
        let remedy = "\"bessemer models\" lists what is there";
        Err(anyhow!("{name}: no model in {folder} has this name; {remedy}").into())
    }
}
