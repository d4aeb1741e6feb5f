//! The top-level command line. Each command defines its own arguments in its own file.

#[cfg(feature = "pull")]
use crate::commands::pull;
use crate::commands::{
    bench, chat, check, completions, demo, devices, inspect, models, perplexity, program, quantize,
    remove, run, tokenize,
};
use bessemer::{DeviceChoice, DeviceOptions};
use clap::{Args, Parser, Subcommand, builder::RangedU64ValueParser};
use std::path::PathBuf;

/// Arrays and language models on Metal, WebGPU and the CPU.
#[derive(Debug, Parser)]
#[command(name = "bessemer", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  bessemer run \"Once upon a time\"      generate a story with the built-in model
  bessemer pull smollm2                download a small chat model
  bessemer chat --model smollm2        chat with it
  bessemer demo                        show lazy arrays, kernel fusion and its speed
  bessemer devices                     list devices, and which one `auto` picks
  bessemer check --device cpu          test every op of the CPU device against the reference
  bessemer bench ops --svg ops.svg     compare every op with this machine's limits (roofline)

Environment:
  BESSEMER_THREADS   number of threads of the CPU device, unless --threads is given
  BESSEMER_ISA       instruction set of the CPU device: portable, neon, neondot, avx2 or avx512
  BESSEMER_MODELS    the folder of downloaded models
  BESSEMER_GPU       the GPU that `metal` uses, by a part of its name
  BESSEMER_ADAPTER   the adapter that `webgpu` uses, by a part of its name
  BESSEMER_SOFTMETAL run `metal` in software, to test its kernels: 1, checked, the name of a GPU such
                     as m1-8gb, or checked,NAME (needs a build with the feature softmetal)
  BESSEMER_CAPTURE   write a GPU capture to this file, to open in Xcode
  NO_COLOR           disable colours

Errors go to stderr, and with --json also to stdout as {\"error\": \"…\"}. The exit code is 1 for
errors, 2 for wrong usage, and 130 after Ctrl-C.";

/// The number of threads a thread pool may have.
fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=4096)
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The device to use: auto, cpu, reference, metal or webgpu
    #[arg(long, global = true, value_name = "NAME", default_value = "auto")]
    pub(crate) device: DeviceChoice,

    /// Number of threads of the CPU device [default: all that are available]
    #[arg(long, global = true, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<usize>,

    /// Use 16-bit instead of 8-bit activations in quantised layers on the CPU: as precise as GPUs, but
    /// slower
    #[arg(long, global = true)]
    pub(crate) precise: bool,

    /// Use memory-mapped model files on the CPU instead of copying them to huge pages: a little
    /// slower, but processes share the memory
    #[arg(long, global = true)]
    pub(crate) mapped: bool,

    /// Write a timeline of the GPU's work to FILE, in Chrome's trace format
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}

impl Global {
    pub(crate) fn options(&self) -> DeviceOptions {
        DeviceOptions {
            threads: self.threads,
            precise: self.precise,
            mapped: self.mapped,
            trace: self.trace.clone(),
            ..Default::default()
        }
    }

    pub(crate) fn open(&self) -> bessemer::Result<bessemer::Device> {
        bessemer::Device::open_with(self.device, &self.options())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Run),
    Chat(chat::Chat),
    #[cfg(feature = "pull")]
    Pull(pull::Pull),
    Models(models::Models),
    #[command(name = "rm")]
    Remove(remove::Remove),
    Tokenize(tokenize::Tokenize),
    Perplexity(perplexity::Perplexity),
    Quantize(quantize::Quantize),
    Inspect(inspect::Inspect),
    Devices(devices::Devices),
    Check(check::Check),
    Bench(bench::Bench),
    Demo(demo::Demo),
    Program(program::Programs),
    Completions(completions::Completions),
}
