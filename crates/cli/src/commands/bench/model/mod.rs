//! `bessemer bench model`: how fast a model reads and writes, beside what memory allows.

mod memory;
mod runs;

use super::{limits::Limits, plot, share::Share};
use crate::{
    args::Global,
    fault::Fault,
    files::{may_write, write_whole},
    generate::LoadArgs,
    progress::Progress,
    text::{self, Align, BOLD, Cell, DIM, Table},
    values::whole,
};
use bessemer::DeviceInfo;
use clap::Args;
use runs::{Runs, Settings};
use serde::Serialize;
use std::{io::Write, path::PathBuf};

/// Measure a model: prefill and decode speed, time to first token, memory and bandwidth
#[derive(Debug, Args)]
#[command(name = "model", after_help = EXAMPLES)]
pub(crate) struct ModelBench {
    #[command(flatten)]
    load: LoadArgs,

    /// Number of prompt tokens
    #[arg(long, short = 'p', value_name = "N", default_value_t = 512, value_parser = whole)]
    prompt_tokens: usize,

    /// Number of tokens to generate
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        alias = "tokens",
        default_value_t = 128,
        value_parser = whole
    )]
    max_tokens: usize,

    /// Number of context tokens before decoding starts
    #[arg(long, short = 'd', value_name = "N", default_value_t = 0, value_parser = whole)]
    depth: usize,

    /// Number of repetitions; the fastest counts
    #[arg(long, short = 'r', value_name = "N", default_value_t = 3, value_parser = whole)]
    repetitions: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Also plot decode speed over the context length into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bessemer bench model --model smollm2
  bessemer bench model --model smollm2 --threads 2 -p 512 -n 128 --json
  bessemer bench model --model smollm2 --depth 2048 --svg decode.svg

Prefill is a prompt going through the model, decode is token after token. Time to the first token \
is that of a prompt of -p tokens, without loading. The share of the bandwidth is the weights' \
bytes that each token needs, times tokens per second, over the bytes that this machine reads from \
memory per second, measured in the same run. Memory is the most that was resident before that. All \
speeds, and the plot, are of the fastest of the repetitions. Close other programs for reliable \
results.";

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Findings {
    pub(crate) model: String,
    pub(crate) architecture: String,
    pub(crate) parameters: u64,
    pub(crate) device: String,
    pub(crate) hardware: String,
    pub(crate) threads: usize,
    pub(crate) prompt_tokens: usize,
    pub(crate) decode_tokens: usize,
    pub(crate) depth: usize,
    pub(crate) repetitions: usize,
    pub(crate) load_ms: f64,
    pub(crate) load_to_first_token_ms: f64,
    pub(crate) first_token_ms: f64,
    pub(crate) prefill_tokens_per_s: f64,
    pub(crate) decode_tokens_per_s: f64,
    /// `null` where the system does not tell.
    pub(crate) peak_rss_bytes: Option<u64>,
    /// What a token reads of the weights.
    pub(crate) weight_bytes_per_token: u64,
    /// `null` where the device's memory can't be measured from here.
    pub(crate) read_bytes_per_s: Option<f64>,
    /// Above 1 the weights are in the CPU's caches.
    pub(crate) bandwidth_share: Option<f64>,
    /// Milliseconds of each token of the fastest repetition.
    pub(crate) decode_ms: Vec<f64>,
}

impl Findings {
    /// The share of the memory's bandwidth, if that can be measured.
    pub(crate) fn share(&self) -> Option<Share> {
        self.bandwidth_share.map(|share| Share::new(share, true))
    }
}

impl ModelBench {
    pub(crate) fn run(mut self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        for (name, value) in [
            ("prompt-tokens", self.prompt_tokens),
            ("max-tokens", self.max_tokens),
            ("repetitions", self.repetitions),
        ] {
            if value == 0 {
                return Err(Fault::usage(format!(
                    "--{name} 0: nothing to measure; use at least 1"
                )));
            }
        }
        if let Some(path) = &self.svg {
            may_write(path)?;
        }
        let needed = self.prompt_tokens.max(self.depth + self.max_tokens + 1);
        self.load.context.get_or_insert(needed);
        let bar = Progress::new(self.repetitions + 1);
        bar.at(0, "loading".into());
        let loaded = self.load.load(global)?;
        let settings = Settings {
            prompt: self.prompt_tokens,
            decode: self.max_tokens,
            depth: self.depth,
            repetitions: self.repetitions,
        };
        let runs = Runs::measure(&loaded, self.load.session_options(), settings, &bar)?;
        // Before the bandwidth is measured: that takes much memory.
        let peak_rss_bytes = memory::peak_resident();
        bar.at(self.repetitions, "what memory allows".into());
        let info = loaded.llm.model().device().info().clone();
        let limits =
            info.capabilities.host_memory.then(|| Limits::measure(info.threads)).transpose()?;
        drop(bar);

        let read = limits.map(|limits| limits.read_bytes);
        let weights = memory::weights_per_token(&loaded.file);
        let decode = runs.decode_tokens_per_s();
        let findings = Findings {
            model: loaded.name.clone(),
            architecture: loaded.llm.model().config().architecture.clone(),
            parameters: loaded.file.tensors().iter().map(|t| t.shape.elements() as u64).sum(),
            device: info.kind.name().to_owned(),
            hardware: info.name.clone(),
            threads: info.threads,
            prompt_tokens: self.prompt_tokens,
            decode_tokens: self.max_tokens,
            depth: self.depth,
            repetitions: self.repetitions,
            load_ms: loaded.seconds * 1e3,
            load_to_first_token_ms: (loaded.seconds + runs.first_answer) * 1e3,
            first_token_ms: runs.first_token * 1e3,
            prefill_tokens_per_s: self.prompt_tokens as f64 / runs.prefill,
            decode_tokens_per_s: decode,
            peak_rss_bytes,
            weight_bytes_per_token: weights,
            read_bytes_per_s: read,
            bandwidth_share: read.map(|read| weights as f64 * decode / read),
            decode_ms: runs.tokens.iter().map(|seconds| seconds * 1e3).collect(),
        };
        if let Some(path) = &self.svg {
            write_whole(path, plot::model::draw(&info, &findings).as_bytes())?;
        }
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &findings)?;
            return Ok(writeln!(out)?);
        }
        write_text(&info, &findings, out)
    }
}

fn write_text(info: &DeviceInfo, found: &Findings, out: &mut dyn Write) -> Result<(), Fault> {
    let parameters = text::amount(found.parameters);
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {}, {parameters} parameters",
        found.model, found.architecture
    )?;
    let threads = text::count(found.threads, "thread");
    let features = info.features.join(" ");
    writeln!(out, "{DIM}{}, {} ({features}, {threads}){DIM:#}\n", info.kind, info.name)?;
    let mut table =
        Table::new(&[("what", Align::Left), ("figure", Align::Right), ("", Align::Left)]);
    let mut row = |what: String, figure: String, unit: &str| {
        table.row([Cell::new(what), Cell::new(figure).style(BOLD), Cell::new(unit)]);
    };
    let speed = |x: f64| format!("{x:.1}");
    row(format!("prefill {}", found.prompt_tokens), speed(found.prefill_tokens_per_s), "tokens/s");
    let depth = if found.depth == 0 { String::new() } else { format!(" after {}", found.depth) };
    let decode = format!("decode {}{depth}", found.decode_tokens);
    row(decode, speed(found.decode_tokens_per_s), "tokens/s");
    row("first token".into(), speed(found.first_token_ms), "ms");
    row("load".into(), speed(found.load_ms), "ms");
    row("load to first token".into(), speed(found.load_to_first_token_ms), "ms, of a short prompt");
    if let Some(bytes) = found.peak_rss_bytes {
        row("peak memory".into(), text::bytes(bytes as usize), "resident");
    }
    if let (Some(share), Some(read)) = (found.share(), found.read_bytes_per_s) {
        let weights = text::bytes(found.weight_bytes_per_token as usize);
        let read = read / 1e9;
        let of = match share {
            Share::Of(_) => format!("of {read:.1} GB/s, at {weights} per token"),
            Share::InCache => format!(
                "the weights, {weights} per token, fit in the CPU's caches: memory, at {read:.1} GB/s, is not \
                 the limit"
            ),
        };
        row("bandwidth".into(), share.to_string(), &of);
    }
    table.write(out)?;
    if found.repetitions > 1 {
        writeln!(out, "{DIM}the fastest of {} runs{DIM:#}", found.repetitions)?;
    }
    Ok(())
}
