//! `bessemer convert`: an RWKV model as a GGUF file.

use crate::{
    args::Threads,
    fault::Fault,
    progress::Progress,
    text::{self, BOLD, DIM, WARN},
};
use anyhow::anyhow;
use bessemer_llm::{
    files::{Gguf, rwkv},
    quantize::{Floats, Report, write},
};
use clap::Args;
use serde_json::json;
use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    thread,
};

/// Convert an RWKV model to GGUF
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// A .pth, .st or .safetensors file, or a folder as Hugging Face lays it out
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// The GGUF file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The type of matrices: auto (as they are), f32, f16 or bf16
    #[arg(long = "type", value_name = "TYPE", default_value = "auto")]
    floats: String,

    /// The vocabulary: rwkv_vocab_v20230424.txt or a tokenizer.json [default: the one beside IN]
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,

    /// Overwrite the file if it exists
    #[arg(long)]
    force: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer convert RWKV-x070-World-0.1B.pth rwkv7-0.1b.gguf
  bessemer convert RWKV-x060-World-1B6.st rwkv6-1b6.gguf --type f16 --vocab rwkv_vocab_v20230424.txt
  bessemer convert rwkv7-1.5B-world/ rwkv7-1b5.gguf --force --json

It reads RWKV versions 4, 5, 6 and 7, and Qwen2 models with the mixers of versions 6 and 7: as their authors \
publish them (.pth, .safetensors), as web-rwkv has them (.st), and as folders for transformers or fla. \
Versions 6 and 7 become what llama.cpp's converter writes, so llama.cpp can run them. No code in a .pth file \
is run. Vectors and small matrices are stored as f32.

Every command that takes a model takes these files too; GGUF opens faster and is one file with its \
vocabulary. Use `bessemer quantize` for fewer bits.

OUT appears only when it is complete; an interrupted run leaves nothing behind.";

impl Convert {
    pub(crate) fn run(self, threads: Threads, out: &mut dyn Write) -> Result<(), Fault> {
        let floats: Floats = self.floats.parse().map_err(|e| Fault::Usage(anyhow!("{e}")))?;
        let refuse = |path: &Path, why: &str| Fault::from(anyhow!("{}: {why}", path.display()));
        if self.input.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf")) {
            let why = "it is a GGUF file already; use `bessemer quantize` to change its type";
            return Err(refuse(&self.input, why));
        }
        if self.output.exists() && !self.force {
            let why = "the file exists; choose another name, or pass --force to overwrite it";
            return Err(refuse(&self.output, why));
        }
        let model = rwkv::open(&self.input, self.vocab.as_deref())?;
        let available = || thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.threads.unwrap_or_else(available).clamp(1, 1024);
        let bar = Progress::new(model.tensors().len());
        let report = write(&model, &self.output, floats, threads, &mut |step| {
            bar.at(step.number, format!("{} {} → {}", step.name, step.from, step.to));
        });
        drop(bar);
        let summary = Summary { path: &self.output, report: report?, model: &model };
        match self.json {
            true => summary.write_json(out),
            false => summary.write_text(out),
        }
    }
}

/// What became of a model.
struct Summary<'a> {
    path: &'a Path,
    report: Report,
    model: &'a Gguf,
}

impl Summary<'_> {
    fn text_of(&self, key: &str) -> Option<&str> {
        self.model.metadata().get(key).ok().flatten()
    }

    fn architecture(&self) -> &str {
        self.text_of("general.architecture").unwrap_or_default()
    }

    fn write_json(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let dtypes: BTreeMap<&str, usize> =
            self.report.dtypes.iter().map(|(dtype, count)| (dtype.name(), *count)).collect();
        let value = json!({
            "path": self.path.to_string_lossy(),
            "architecture": self.architecture(),
            "tensors": self.report.tensors,
            "bytes": self.report.after,
            "dtypes": dtypes,
            "tokenizer": self.text_of("tokenizer.ggml.model"),
        });
        serde_json::to_writer_pretty(&mut *out, &value)?;
        Ok(writeln!(out)?)
    }

    fn write_text(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let (path, architecture) = (self.path.display(), self.architecture());
        let tensors = text::count(self.report.tensors, "tensor");
        let bytes = text::bytes(self.report.after as usize);
        writeln!(out, "{BOLD}{path}{BOLD:#}  {architecture}, {tensors}, {bytes}")?;
        let dtypes: Vec<String> =
            self.report.dtypes.iter().map(|(dtype, count)| format!("{count} {dtype}")).collect();
        writeln!(out, "{DIM}{}{DIM:#}", dtypes.join(", "))?;
        if self.text_of("tokenizer.ggml.model").is_none() {
            writeln!(
                out,
                "{WARN}it has no vocabulary, so it takes and gives no text; pass --vocab \
                 rwkv_vocab_v20230424.txt{WARN:#}"
            )?;
        }
        Ok(())
    }
}
