//! The top-level command line. Each command defines its own arguments in its own file.

#[cfg(feature = "pull")]
use crate::commands::pull;
#[cfg(feature = "server")]
use crate::commands::serve;
use crate::{
    commands::{
        bench, chat, check, completions, convert, demo, devices, embed, inspect, models,
        perplexity, program, quantize, remove, run, tokenize,
    },
    values,
};
use bessemer::{DeviceChoice, DeviceOptions};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Arrays and language models on Metal, WebGPU and the CPU.
#[derive(Debug, Parser)]
#[command(
    name = "bessemer",
    version,
    arg_required_else_help = true,
    args_override_self = true,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  bessemer run \"Once upon a time\"      generate a story with the built-in model
  bessemer pull smollm2                download a small chat model
  bessemer chat --model smollm2        chat with it
  bessemer serve --open                serve it over HTTP, with a chat page
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
  BESSEMER_SOFTMETAL run `metal` in software, to test its kernels: 1, checked, the name of a GPU
                     such as m1-8gb, or checked,NAME (needs a build with the feature softmetal)
  BESSEMER_CAPTURE   write a GPU capture to this file, to open in Xcode
  NO_COLOR           disable colours

Errors go to stderr, and with --json also to stdout as {\"error\": \"…\"}. The exit code is 1 for \
errors, 2 for wrong usage, and 130 after Ctrl-C.";

// Here and below no doc comments: clap would take them for those of the commands.
// The flags of commands that use a device.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Device")]
pub(crate) struct Global {
    /// The device to use
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        ignore_case = true,
        value_parser = values::device()
    )]
    pub(crate) device: DeviceChoice,

    #[command(flatten)]
    pub(crate) threads: Threads,

    /// Use 16-bit instead of 8-bit activations in quantised layers on the CPU: as precise as GPUs, but
    /// slower
    #[arg(long)]
    pub(crate) precise: bool,

    /// Write a timeline of the GPU's work to FILE, in Chrome's trace format
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}

// The flag of commands that use the CPU only.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Threads {
    /// Number of threads of the CPU device [default: all that are available]
    #[arg(long, short = 't', value_name = "N", value_parser = values::threads())]
    pub(crate) threads: Option<usize>,
}

impl Global {
    pub(crate) fn options(&self) -> DeviceOptions {
        DeviceOptions {
            threads: self.threads.threads,
            precise: self.precise,
            trace: self.trace.clone(),
            ..Default::default()
        }
    }

    pub(crate) fn open(&self) -> bessemer::Result<bessemer::Device> {
        bessemer::Device::open_with(self.device, &self.options())
    }
}

// A command that uses a device.
#[derive(Debug, Args)]
pub(crate) struct OnDevice<C: Args> {
    #[command(flatten)]
    pub(crate) command: C,

    #[command(flatten)]
    pub(crate) global: Global,
}

// A command that uses threads of the CPU.
#[derive(Debug, Args)]
pub(crate) struct OnThreads<C: Args> {
    #[command(flatten)]
    pub(crate) command: C,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(OnDevice<run::Run>),
    Chat(OnDevice<chat::Chat>),
    #[cfg(feature = "server")]
    Serve(OnDevice<serve::Serve>),
    #[cfg(feature = "pull")]
    Pull(pull::Pull),
    #[command(visible_aliases = ["list", "ls"])]
    Models(models::Models),
    #[command(name = "rm")]
    Remove(remove::Remove),
    #[command(visible_alias = "show")]
    Inspect(inspect::Inspect),
    Tokenize(tokenize::Tokenize),
    Embed(OnDevice<embed::Embed>),
    Perplexity(OnDevice<perplexity::Perplexity>),
    Convert(OnThreads<convert::Convert>),
    Quantize(OnThreads<quantize::Quantize>),
    Devices(OnThreads<devices::Devices>),
    Check(OnDevice<check::Check>),
    Bench(bench::Bench),
    Demo(OnDevice<demo::Demo>),
    Program(program::Programs),
    Completions(completions::Completions),
}
