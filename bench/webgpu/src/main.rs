//! `cargo xtask bench webgpu`: the WebGPU device beside llama.cpp's Vulkan and burn, on one adapter.
//!
//! Others are processes of their own that wait while another works (`peer`); `model` and `product`
//! are our side, `agreement` compares texts with those of the CPU, `contest` says what is measured, and `report` writes it down.

mod agreement;
mod contest;
mod model;
mod peer;
mod product;
mod report;

use anyhow::Result;
use clap::Parser;
use std::path::PathBuf;

/// Measures the WebGPU device beside others on the same adapter.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// A Python that has llama-cpp-python, built with Vulkan.
    #[arg(long)]
    python: Option<PathBuf>,
    /// The program of `bench/webgpu/burn`.
    #[arg(long)]
    burn: Option<PathBuf>,
    /// A file of SmolLM2-135M-Instruct as GGUF; may be given several times.
    #[arg(long = "model")]
    models: Vec<PathBuf>,
    /// Another such file, of which only the text is compared with the CPU's.
    #[arg(long = "text")]
    texts: Vec<PathBuf>,
    /// Rounds of each measurement; the fastest of each side counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Only rows whose name contains this. Nothing is rewritten then.
    #[arg(long)]
    only: Option<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let report = contest::run(&arguments)?;
    print!("{}", report.table());
    if arguments.only.is_none() {
        report.write()?;
    }
    Ok(())
}
