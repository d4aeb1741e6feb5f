//! `bessemer perplexity`: how well a model predicts a text.

use crate::{
    args::Global,
    fault::Fault,
    generate::LoadArgs,
    progress::Progress,
    text::{self, BOLD, DIM},
    values::whole,
};
use anyhow::{Context, anyhow};
use bessemer_llm::perplexity::{self, Perplexity as Score};
use clap::Args;
use serde_json::json;
use std::{fs, io::Write, path::PathBuf, time::Instant};

/// Measure a model's perplexity on a text file
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Perplexity {
    /// The text file; a longer text gives a more reliable result
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    load: LoadArgs,

    /// Use only the first N windows
    #[arg(long, value_name = "N", value_parser = whole)]
    windows: Option<usize>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer perplexity text.txt --model smollm2
  bessemer perplexity text.txt --model smollm2-q8_0.gguf --context 1024 --json
  bessemer perplexity text.txt --model smollm2 --windows 10

The text is split into windows of --context tokens (default: 512, or the model's context length if \
that is shorter). The second half of each window is scored, given all tokens of the window before \
it. This is how llama.cpp's perplexity tool works, so results can be compared. Lower is better; a \
model that predicts every token with certainty has a perplexity of 1.";

/// The usual window.
const CONTEXT: usize = 512;

impl Perplexity {
    pub(crate) fn run(mut self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let path = self.file.display();
        let text =
            fs::read_to_string(&self.file).with_context(|| format!("{path}: cannot be read"))?;
        // Editors end files with a line break that is no part of the text.
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let loaded = self.load.load(global)?;
        let usual = CONTEXT.min(loaded.llm.model().config().context);
        let context = *self.load.context.get_or_insert(usual);
        let mut session = self.load.session(&loaded.llm)?;
        let tokens = loaded.llm.tokenizer().encode(text, bessemer_llm::tokenizer::Encode::TEXT)?;
        let windows = tokens.len() / context;
        if windows < 2 {
            return Err(anyhow!(
                "{path}: {} tokens are too few for windows of {context}; use a longer text, or a \
                 --context of at most {}",
                tokens.len(),
                tokens.len() / 2
            )
            .into());
        }
        let windows = self.windows.unwrap_or(windows).min(windows).max(1);
        let first = loaded.llm.tokenizer().affixes().0.first().copied();
        let bar = Progress::new(windows);
        let start = Instant::now();
        let score = perplexity::measure(
            &mut session,
            &tokens[..windows * context],
            context,
            first,
            &mut |done, so_far| bar.at(done, format!("perplexity {:.4}", so_far.value())),
        );
        drop(bar);
        let (score, seconds) = (score?, start.elapsed().as_secs_f64());
        if self.json {
            let value = json!({
                "model": loaded.name,
                "file": self.file,
                "perplexity": score.value(),
                "error": score.error(),
                "nll": score.mean(),
                "context": context,
                "windows": windows,
                "tokens": windows * context,
                "scored": score.count(),
                "seconds": seconds,
            });
            serde_json::to_writer_pretty(&mut *out, &value)?;
            return Ok(writeln!(out)?);
        }
        write_text(&score, windows, context, seconds, out)
    }
}

fn write_text(
    score: &Score,
    windows: usize,
    context: usize,
    seconds: f64,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    writeln!(out, "perplexity {BOLD}{:.4}{BOLD:#} ± {:.4}", score.value(), score.error())?;
    let speed = (windows * context) as f64 / seconds;
    let (windows, time) = (text::count(windows, "window"), text::seconds(seconds));
    let scored = score.count();
    writeln!(
        out,
        "{DIM}{windows} of {context} tokens, {scored} scored, {time}, {speed:.0} tokens/s{DIM:#}"
    )?;
    Ok(())
}
