//! `cargo xtask bench rwkv`: RWKV-7 on the CPU beside llama.cpp, on WebGPU beside web-rwkv, and on
//! Metal in software, where it is counted.
//!
//! The weights are random (`random`), of published shapes (`shape`). Each side is a process of its own
//! that waits while the other works; `cpu`, `metal` and `webgpu` decide what is measured, and `report`
//! writes it down.

mod cpu;
mod files;
mod logits;
#[cfg(unix)]
mod metal;
mod random;
mod report;
mod shape;
mod vocabulary;
mod web_rwkv;
mod webgpu;

use anyhow::Result;
use bessemer_models_bench::ours;
use clap::Parser;
use files::Folder;
use report::Report;
use std::path::PathBuf;

/// Measures RWKV-7 beside other engines.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// Measure the CPU beside llama.cpp.
    #[arg(long)]
    cpu: bool,
    /// Count what the Metal device does, in software.
    #[arg(long)]
    metal: bool,
    /// Measure the WebGPU device beside web-rwkv: the program of `bench/rwkv/web-rwkv`.
    #[arg(long, value_name = "PROGRAM")]
    webgpu: Option<PathBuf>,
    /// A Python that has llama-cpp-python.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Where the files that are made go; kept for the next time.
    #[arg(long, default_value = "target/bench-rwkv")]
    folder: PathBuf,
    /// Rounds of each measurement; the fastest of each side counts.
    #[arg(long)]
    rounds: Option<usize>,
    /// Threads of each side.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Only files whose name contains this. Nothing is rewritten then.
    #[arg(long)]
    only: Option<String>,
    /// One round and shorter texts, to see that everything works. Nothing is rewritten then.
    #[arg(long)]
    quick: bool,
    /// Answer requests as one of the sides.
    #[arg(long, hide = true)]
    answer: bool,
}

impl Arguments {
    fn rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(if self.quick { 1 } else { usual })
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.answer {
        return ours::answer_all();
    }
    let folder = Folder(arguments.folder.clone());
    if arguments.cpu {
        finish(&arguments, &cpu::run(&arguments, &folder)?)?;
    }
    if arguments.metal {
        #[cfg(unix)]
        finish(&arguments, &metal::run(&arguments, &folder)?)?;
        #[cfg(not(unix))]
        anyhow::bail!("softmetal, which counts, runs on Linux");
    }
    if let Some(program) = &arguments.webgpu {
        finish(&arguments, &webgpu::run(&arguments, &folder, program)?)?;
    }
    Ok(())
}

/// Shows a part, and writes it down if it is whole.
fn finish(arguments: &Arguments, report: &Report) -> Result<()> {
    print!("{}", report.table());
    if arguments.only.is_none() && !arguments.quick {
        report.write()?;
    }
    Ok(())
}
