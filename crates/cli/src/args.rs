//! The command line as a whole; the arguments of each command lie with it.

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
  bessemer run \"Once upon a time\"      the built-in model tells a story
  bessemer pull smollm2                get a small model to talk to
  bessemer chat --model smollm2        talk to it
  bessemer demo                        arrays: what is asked, what is run, how fast
  bessemer devices                     what is here, and what `auto` takes
  bessemer check --device cpu          hold the CPU device to the reference, op by op
  bessemer bench ops --svg ops.svg     how near each op comes to what the machine can do

Environment:
  BESSEMER_THREADS   threads of the CPU device, unless --threads says
  BESSEMER_ISA       its instructions: portable, neon, neondot, avx2, avx512
  BESSEMER_MODELS    the folder of models, instead of one in the system's folder for caches
  BESSEMER_GPU       a part of the name of the GPU that `metal` is to use, where there are several
  BESSEMER_ADAPTER   the same for `webgpu`
  BESSEMER_SOFTMETAL 1 or checked: the device `metal` in software, to try its kernels out; a name of
                     a GPU to imitate, such as m1-8gb or checked,intel-amd
  BESSEMER_CAPTURE   a file for a capture of the GPU's work, for Xcode
  NO_COLOR           no colours, even on a terminal

What goes wrong is said on stderr, and with --json also on stdout, as {\"error\": \"…\"}. The exit code
is 1 then, 2 if the command was asked wrongly, and 130 after Ctrl-C.";

/// As many as a team may have.
fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=4096)
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The device to use: auto, cpu, reference, metal or webgpu
    #[arg(long, global = true, value_name = "NAME", default_value = "auto")]
    pub(crate) device: DeviceChoice,

    /// Threads of the CPU device [default: as many as the system allows]
    #[arg(long, global = true, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<usize>,

    /// Let the CPU device come as near to f32 arithmetic as GPUs do: it writes the same texts, slower
    #[arg(long, global = true)]
    pub(crate) precise: bool,

    /// Let the CPU device use models where their files are mapped, never copied to larger pages:
    /// slower, but processes share the memory
    #[arg(long, global = true)]
    pub(crate) mapped: bool,

    /// Write a timeline of all that runs on a GPU to FILE, in the trace format of Chrome
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
