//! `bessemer inspect`: what a model is, without loading it.

use crate::{
    fault::Fault,
    model,
    text::{self, Align, BOLD, Cell, DIM, Table},
    values::{self, whole},
};
use bessemer::DType;
use bessemer_llm::inspect::Summary;
use clap::Args;
use serde_json::Value;
use std::io::Write;

/// Show a model's metadata, tensors and memory use
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// A name from `bessemer models`, or the path of a GGUF or safetensors file or folder
    /// [default: the built-in model]
    #[arg(value_name = "NAME|PATH")]
    file: Option<String>,

    /// The model, as an alternative to the argument
    #[arg(long, short, value_name = "NAME|PATH", conflicts_with = "file")]
    model: Option<String>,

    /// The context length, in tokens, to estimate memory for
    #[arg(
        long,
        short = 'c',
        value_name = "N",
        alias = "ctx-size",
        default_value_t = 2048,
        allow_negative_numbers = true,
        value_parser = whole
    )]
    context: usize,

    /// The dtype of the KV cache
    #[arg(long, value_name = "DTYPE", default_value = "f16", value_parser = values::cache())]
    cache: DType,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer inspect model.gguf
  bessemer inspect smollm2 --context 8192 --cache q8_0
  bessemer inspect smollm2 --json | jq .memory";

/// Longer values are cut on a line for people.
const LONGEST: usize = 96;

impl Inspect {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let opened = model::open(self.file.or(self.model).as_deref())?;
        let summary = Summary::new(&opened.file, self.context, self.cache)?;
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &summary)?;
            return Ok(writeln!(out)?);
        }
        write_head(&summary, &opened.name, out)?;
        write_memory(&summary, out)?;
        writeln!(out, "\n{BOLD}metadata{BOLD:#}")?;
        for (key, value) in &summary.metadata {
            writeln!(out, "{key} {DIM}={DIM:#} {}", short(value))?;
        }
        writeln!(out)?;
        write_tensors(&summary, out)
    }
}

fn write_head(summary: &Summary, name: &str, out: &mut dyn Write) -> Result<(), Fault> {
    let name = summary.name.as_deref().unwrap_or(name);
    let architecture = summary.architecture.as_deref().unwrap_or("unknown architecture");
    let parameters = text::amount(summary.parameters);
    let format = &summary.format;
    writeln!(out, "{BOLD}{name}{BOLD:#}  {architecture}, {parameters} parameters, {format}")?;
    for file in &summary.files {
        writeln!(out, "{DIM}{file}{DIM:#}")?;
    }
    let types: Vec<String> = summary
        .dtypes
        .iter()
        .map(|(dtype, tally)| {
            let tensors = text::count(tally.tensors, "tensor");
            format!("{dtype} {} in {tensors}", text::bytes(tally.bytes as usize))
        })
        .collect();
    Ok(writeln!(out, "{}", types.join(", "))?)
}

fn write_memory(summary: &Summary, out: &mut dyn Write) -> Result<(), Fault> {
    let memory = &summary.memory;
    let cache = match memory.kv_cache {
        Some(bytes) => format!("cache ({}) {}", memory.kv_dtype, text::bytes(bytes)),
        None => "a cache of unknown size".to_owned(),
    };
    let work = memory.work.map_or(String::new(), |work| format!(" + work {}", text::bytes(work)));
    let (context, total) = (memory.context, text::bytes(memory.total));
    let weights = text::bytes(memory.weights);
    writeln!(
        out,
        "for {context} tokens: weights {weights} + {cache}{work} = {BOLD}{total}{BOLD:#}"
    )?;
    if let Some(longest) = memory.longest_context {
        writeln!(out, "context length {longest} tokens")?;
    }
    Ok(())
}

fn write_tensors(summary: &Summary, out: &mut dyn Write) -> Result<(), Fault> {
    let mut table = Table::new(&[
        ("tensor", Align::Left),
        ("dtype", Align::Left),
        ("shape", Align::Left),
        ("bytes", Align::Right),
    ]);
    for tensor in &summary.tensors {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        table.row([
            Cell::new(&tensor.name),
            Cell::new(&tensor.dtype),
            Cell::new(shape.join(" × ")),
            Cell::new(text::bytes(tensor.bytes)),
        ]);
    }
    Ok(table.write(out)?)
}

/// A value on one line.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}… ({} characters)", text.chars().count())
}
