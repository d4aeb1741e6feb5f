//! `bessemer quantize`: a model in fewer bits.

use crate::{
    args::Threads,
    fault::Fault,
    model,
    progress::Progress,
    text::{self, BOLD, DIM, WARN},
};
use anyhow::anyhow;
use bessemer_files::oddity;
use bessemer_llm::{
    files::ModelFile,
    quantize::{Recipe, Report, quantize},
};
use clap::Args;
use serde_json::json;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    io::Write,
    path::{Path, PathBuf},
    thread,
};

/// Convert a GGUF model to another quantisation type
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Quantize {
    /// A name from `bessemer models`, or the path of a GGUF file: F32, F16, BF16 or any other type
    #[arg(value_name = "IN")]
    input: OsString,

    /// The GGUF file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// F32 F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q6_K IQ4_NL, or a mix: Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M
    #[arg(value_name = "TYPE")]
    recipe: String,

    /// Overwrite the file if it exists
    #[arg(long)]
    force: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer quantize model-f16.gguf model-q4_k_m.gguf Q4_K_M
  bessemer quantize smollm2 smollm2-q8_0.gguf Q8_0 --threads 2
  bessemer quantize model.gguf model-q4_0.gguf Q4_0 --force --json

Mixes give more bits to the tensors and layers that benefit, choosing the same type per tensor as \
llama.cpp. Norms and other vectors are not converted. If the rows of a tensor are not whole blocks of \
256, it falls back to a type with blocks of 32: Q4_0 for Q3_K, Q5_0 for Q4_K, Q5_1 for Q5_K, Q8_0 for \
Q6_K; if they are not whole blocks of 32 either, to F16. Start from F16 or F32 if you can: requantising \
cannot restore lost precision.

OUT appears only when it is complete; an interrupted run leaves nothing behind.";

impl Quantize {
    pub(crate) fn run(self, threads: Threads, out: &mut dyn Write) -> Result<(), Fault> {
        let recipe: Recipe = self.recipe.parse().map_err(|e| Fault::Usage(anyhow!("{e}")))?;
        let refuse = |path: &Path, why: &str| Fault::from(anyhow!("{}: {why}", path.display()));
        let from = Path::new(&self.input);
        if let Some(what) = fs::metadata(from).ok().and_then(|meta| oddity(&meta)) {
            return Err(refuse(
                from,
                &format!("it is {what}, not a regular file; name a GGUF file"),
            ));
        }
        let opened = model::open(Some(&self.input))?;
        let ModelFile::Gguf(input) = &opened.file else {
            let why = "only GGUF files can be quantised, not safetensors; convert it to GGUF first";
            return Err(refuse(from, why));
        };
        if self.output.exists() && !self.force {
            let why = "the file exists; choose another name, or pass --force to overwrite it";
            return Err(refuse(&self.output, why));
        }
        let available = || thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.threads.unwrap_or_else(available).clamp(1, 1024);
        let bar = Progress::new(input.tensors().len());
        let report = quantize(input, &self.output, recipe, threads, &mut |step| {
            bar.at(step.number, format!("{} {} → {}", step.name, step.from, step.to));
        });
        drop(bar);
        let report = report?;
        if self.json {
            return write_json(recipe, &self.output, &report, out);
        }
        write_text(recipe, &self.output, &report, out)
    }
}

fn write_json(
    recipe: Recipe,
    path: &Path,
    report: &Report,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let dtypes: BTreeMap<&str, usize> =
        report.dtypes.iter().map(|(dtype, count)| (dtype.name(), *count)).collect();
    let fallbacks: BTreeMap<&str, &str> =
        report.fallbacks.iter().map(|(name, dtype)| (name.as_str(), dtype.name())).collect();
    let value = json!({
        "path": path.to_string_lossy(),
        "type": recipe.to_string(),
        "tensors": report.tensors,
        "bytes_before": report.before,
        "bytes_after": report.after,
        "dtypes": dtypes,
        "fallbacks": fallbacks,
        "requantized": report.requantized,
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}

fn write_text(
    recipe: Recipe,
    path: &Path,
    report: &Report,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let (before, after) = (text::bytes(report.before as usize), text::bytes(report.after as usize));
    let tensors = text::count(report.tensors, "tensor");
    writeln!(out, "{BOLD}{}{BOLD:#}  {recipe}, {tensors}, {before} → {after}", path.display())?;
    let dtypes: Vec<String> =
        report.dtypes.iter().map(|(dtype, count)| format!("{count} {dtype}")).collect();
    writeln!(out, "{DIM}{}{DIM:#}", dtypes.join(", "))?;
    if !report.fallbacks.is_empty() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, dtype) in &report.fallbacks {
            *counts.entry(dtype.name()).or_default() += 1;
        }
        let counts: Vec<String> =
            counts.iter().map(|(dtype, count)| format!("{count} {dtype}")).collect();
        let many = text::count(report.fallbacks.len(), "tensor");
        let counts = counts.join(", ");
        writeln!(out, "{WARN}{many} with rows that are not whole blocks became {counts}{WARN:#}")?;
    }
    if report.requantized > 0 {
        let many = text::count(report.requantized, "tensor");
        writeln!(
            out,
            "{WARN}{many} had been quantised before: F16 or F32 files give better results{WARN:#}"
        )?;
    }
    Ok(())
}
