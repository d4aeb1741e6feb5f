//! What commands that write text have in common: loading a model, telling timings; `flags` has how
//! they write, `state` where they go on from.

mod flags;
mod state;

pub(crate) use flags::GenerateArgs;
pub(crate) use state::StateArgs;

use crate::{
    args::Global,
    fault::Fault,
    model::{MODEL, ModelArgs, Opened},
    terminal::tell,
    text::{self, WARN},
    values::{self, whole},
};
use bessemer::{DType, Device, DeviceOptions, LlmOptions};
use bessemer_llm::{Llm, Session, SessionOptions, StopReason, Timings, files::ModelFile};
use clap::Args;
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};

// Which model, and its context.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// Context length in tokens, prompt and answer together [default: the model's own, up to 4096]
    #[arg(
        long,
        short = 'c',
        value_name = "N",
        alias = "ctx-size",
        allow_negative_numbers = true,
        value_parser = whole,
        help_heading = MODEL
    )]
    pub(crate) context: Option<usize>,

    /// The dtype of the KV cache
    #[arg(
        long,
        value_name = "DTYPE",
        default_value = "f16",
        value_parser = values::cache(),
        help_heading = MODEL
    )]
    pub(crate) cache: DType,

    /// Use memory-mapped model files on the CPU instead of copying them to huge pages: a little
    /// slower, but processes share the memory
    #[arg(long, help_heading = MODEL)]
    mapped: bool,
}

/// A model that is loaded.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) llm: Llm,
    pub(crate) file: Arc<ModelFile>,
    pub(crate) seconds: f64,
}

impl LoadArgs {
    /// How the device is opened.
    pub(crate) fn device_options(&self, global: &Global) -> DeviceOptions {
        DeviceOptions { mapped: self.mapped, ..global.options() }
    }

    pub(crate) fn load(&self, global: &Global) -> Result<Loaded, Fault> {
        let options = self.device_options(global);
        let device = Device::open_with(global.device, &options)?;
        let start = Instant::now();
        let Opened { name, file } = self.model.open()?;
        let file = Arc::new(file);
        let llm = LlmOptions::new()
            .device(global.device)
            .device_options(options)
            .on(&device)
            .on_fallback(|why| tell!("{WARN}{why}{WARN:#}"))
            .open_file(&file)?;
        Ok(Loaded { name, llm, file, seconds: start.elapsed().as_secs_f64() })
    }

    pub(crate) fn session_options(&self) -> SessionOptions {
        SessionOptions { context: self.context, cache: self.cache, ..SessionOptions::default() }
    }

    /// Opens a session, and warns if it is longer than is good for the model.
    pub(crate) fn session(&self, llm: &Llm) -> Result<Session, Fault> {
        let trained = llm.model().config().context;
        let session = llm.session(self.session_options())?;
        if session.capacity() > trained {
            let beyond = "the text may make no sense beyond that";
            tell!("{WARN}the model was trained with {trained} tokens of context; {beyond}{WARN:#}");
        }
        Ok(session)
    }
}

/// A system prompt for a model that has no place for it.
pub(crate) fn no_template(model: &str) -> Fault {
    Fault::usage(format!("--system: {model} has no chat template, so it takes no system prompt"))
}

/// Timings for people, on one line.
pub(crate) fn timings_text(timings: &Timings, stop: Option<&StopReason>, seed: u64) -> String {
    let again = timings.prompt_tokens - timings.reused_tokens;
    let reused = match timings.reused_tokens {
        0 => String::new(),
        reused => format!(" ({reused} more from the prefix cache)"),
    };
    let drafted = match timings.drafted {
        0 => String::new(),
        drafted => format!(" ({} of {drafted} drafted tokens accepted)", timings.accepted),
    };
    format!(
        "prompt {} in {}{reused}, {:.0} tokens/s; text {} in {}, {:.1} tokens/s{drafted}; \
         stopped: {}; seed {seed}",
        text::count(again, "token"),
        text::seconds(timings.prefill.as_secs_f64()),
        timings.prefill_tokens_per_s(),
        text::count(timings.tokens, "token"),
        text::seconds(timings.decode.as_secs_f64()),
        timings.decode_tokens_per_s(),
        stop.map_or("error", StopReason::name),
    )
}

/// Timings for programs.
pub(crate) fn timings_json(timings: &Timings) -> Value {
    json!({
        "prompt_tokens": timings.prompt_tokens,
        "reused_tokens": timings.reused_tokens,
        "tokens": timings.tokens,
        "first_token_ms": timings.first_token_ms(),
        "prefill_tokens_per_s": timings.prefill_tokens_per_s(),
        "decode_ms": timings.decode.as_secs_f64() * 1e3,
        "decode_tokens_per_s": timings.decode_tokens_per_s(),
        "drafted_tokens": timings.drafted,
        "accepted_tokens": timings.accepted,
    })
}
