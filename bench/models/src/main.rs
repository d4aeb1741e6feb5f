//! `cargo xtask bench models`: bessemer beside llama.cpp on the same files and the same cores.
//!
//! Each side is a process of its own that waits while the other works; this one decides what is
//! measured (`contest`), makes the files (`files`) and writes it down (`report`).

mod contest;
mod files;
mod report;

use anyhow::{Context, Result};
use bessemer_models_bench::ours;
use clap::Parser;
use contest::Contest;
use std::path::PathBuf;

/// Measures bessemer's language models beside llama.cpp.
#[derive(Debug, Parser)]
struct Arguments {
    /// A Python that has llama-cpp-python.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// SmolLM2-135M-Instruct as GGUF, of which the other formats are made.
    #[arg(long)]
    model: Option<PathBuf>,
    /// Where the files that are made go; kept for the next time.
    #[arg(long, default_value = "target/bench-models")]
    folder: PathBuf,
    /// Rounds of each measurement; the fastest of each side counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Threads of each side.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Only files whose name contains this. Nothing is rewritten then.
    #[arg(long)]
    only: Option<String>,
    /// Answer requests as one of the sides.
    #[arg(long, hide = true)]
    answer: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.answer {
        return ours::answer_all();
    }
    let model =
        arguments.model.as_deref().context("--model names SmolLM2-135M-Instruct as GGUF")?;
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| name.contains(only));
    let mut contest = Contest::new(&arguments.python, arguments.rounds, arguments.threads)?;
    for file in files::small(model, &arguments.folder, &arguments.python, wanted)? {
        eprintln!("{}", file.name);
        contest.small_model(&file)?;
    }
    for file in files::large(&arguments.folder, &arguments.python, wanted)? {
        eprintln!("{}", file.name);
        contest.large_model(&file)?;
    }
    let report = contest.report();
    print!("{}", report.table());
    if arguments.only.is_none() {
        report.write()?;
    }
    Ok(())
}
