//! `cargo xtask bench metal`: what the Metal device does, counted by softmetal, and whether whole
//! models say on it what they say on the CPU.
//!
//! Nothing is timed here: figures are counts, the same on every machine. `decode`, `prefill` and
//! `matmul` count, `agreement` compares, `report` writes it down.

#[cfg(unix)]
mod agreement;
#[cfg(unix)]
mod decode;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod matmul;
#[cfg(unix)]
mod prefill;
#[cfg(unix)]
mod report;

use anyhow::Result;

#[cfg(unix)]
fn main() -> Result<()> {
    use anyhow::Context;
    use clap::Parser;
    use std::path::PathBuf;

    /// Counts what the Metal device does, in software.
    #[derive(Debug, Parser)]
    struct Arguments {
        /// SmolLM2-135M-Instruct in Q4_1 as GGUF, of which the other formats are made.
        #[arg(long)]
        model: PathBuf,
        /// Where the files that are made go; kept for the next time.
        #[arg(long, default_value = "target/bench-metal")]
        folder: PathBuf,
        /// Only `figures`, or the texts of files whose name contains this. Nothing is rewritten then.
        #[arg(long)]
        only: Option<String>,
    }

    let Arguments { model, folder, only } = Arguments::parse();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let mut report = report::Report::default();
    if wanted("figures") {
        for part in [decode::figures, matmul::figures, prefill::figures] {
            let figures = part(&model)?;
            figures.iter().for_each(|figure| eprint!("{}", figure.row()));
            report.figures.extend(figures);
        }
    }
    for kind in files::KINDS {
        if wanted(kind) {
            eprintln!("{kind}");
            report.texts.extend(agreement::texts(kind, &model, &folder)?);
        }
    }
    print!("{}", report.page());
    if only.is_none() {
        report.write()?;
    }
    report.judge()
}

#[cfg(not(unix))]
fn main() -> Result<()> {
    anyhow::bail!("softmetal, which counts, runs on Linux")
}
