//! What commands that write text have in common: loading a model, telling timings; `flags` has how
//! they write.

mod flags;

pub(crate) use flags::{GenerateArgs, logit_bias, window};

use crate::{
    args::Global,
    fault::Fault,
    model::ModelArgs,
    text::{self, WARN},
};
use bessemer::{DType, Device, DeviceKind, DeviceOptions};
use bessemer_llm::{
    Generation, Llm, Session, SessionOptions, StopReason, Timings, files::ModelFile,
};
use clap::Args;
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};

/// Which model, and how much it may look back on.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// Tokens there is room for, prompt and answer together [default: as many as the model was made
    /// for, up to 4096]
    #[arg(long, value_name = "N")]
    pub(crate) context: Option<usize>,

    /// How keys and values are cached: f16, f32 or q8_0
    #[arg(long, value_name = "DTYPE", default_value = "f16")]
    pub(crate) cache: DType,
}

/// More context than this is only opened when asked for: it costs memory.
const MOST_CONTEXT: usize = 4096;

/// A model that is loaded.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) llm: Llm,
    pub(crate) file: ModelFile,
    pub(crate) seconds: f64,
    /// How another device would be opened.
    options: DeviceOptions,
}

impl Loaded {
    /// Shows every piece of a text as it comes. If a GPU fails in the middle of it, the text goes on
    /// on the CPU.
    pub(crate) fn show(
        &self,
        text: &mut Generation<'_>,
        mut see: impl FnMut(&str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while let Some(piece) = text.next() {
            match piece {
                Ok(piece) => see(&piece)?,
                Err(error) => self.go_on(text, error)?,
            }
        }
        Ok(())
    }

    fn go_on(&self, text: &mut Generation<'_>, error: bessemer_llm::Error) -> Result<(), Fault> {
        let at_fault = matches!(
            error,
            bessemer_llm::Error::Core(
                bessemer::Error::Failed { .. } | bessemer::Error::OutOfMemory { .. }
            )
        );
        let kind = text.session().model().device().info().kind;
        if !at_fault || !is_gpu(kind) {
            return Err(error.into());
        }
        anstream::eprintln!("{WARN}{error}; going on with `cpu`{WARN:#}");
        let cpu = Device::open_with("cpu", &self.options)?;
        let llm = Llm::from_file(&self.file, &cpu.into())?;
        Ok(text.move_to(llm.model())?)
    }
}

/// The model on `device`; if that was the choice of `auto` and has no memory for it, on the CPU.
fn load(
    file: &ModelFile,
    device: &Arc<dyn bessemer::core::Device>,
    auto: bool,
    options: &DeviceOptions,
) -> Result<Llm, Fault> {
    let error = match Llm::from_file(file, device) {
        Ok(llm) => return Ok(llm),
        Err(error) => error,
    };
    let at_fault =
        matches!(error, bessemer_llm::Error::NoRoom(_) | bessemer_llm::Error::Load { .. });
    if !(auto && at_fault && is_gpu(device.info().kind)) {
        return Err(error.into());
    }
    anstream::eprintln!("{WARN}{error}; using `cpu`{WARN:#}");
    let cpu = Device::open_with("cpu", options)?;
    Ok(Llm::from_file(file, &cpu.into())?)
}

fn is_gpu(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::Metal | DeviceKind::WebGpu)
}

impl LoadArgs {
    pub(crate) fn load(&self, global: &Global) -> Result<Loaded, Fault> {
        let device = global.open()?;
        let start = Instant::now();
        let opened = self.model.open()?;
        let options = DeviceOptions { trace: None, ..global.options() };
        let llm = load(&opened.file, &device.into(), global.device.kind().is_none(), &options)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Loaded { name: opened.name, llm, file: opened.file, seconds, options })
    }

    pub(crate) fn session_options(&self, llm: &Llm) -> SessionOptions {
        let most = llm.model().config().context.min(MOST_CONTEXT);
        let context = Some(self.context.unwrap_or(most));
        SessionOptions { context, cache: self.cache, ..SessionOptions::default() }
    }

    /// Opens a session, and warns if it is longer than is good for the model.
    pub(crate) fn session(&self, llm: &Llm) -> Result<Session, Fault> {
        let trained = llm.model().config().context;
        let session = llm.session(self.session_options(llm))?;
        if session.capacity() > trained {
            let beyond = "beyond them its text may make no sense";
            anstream::eprintln!("{WARN}the model was made for {trained} tokens: {beyond}{WARN:#}");
        }
        Ok(session)
    }
}

/// Timings for people, on one line.
pub(crate) fn timings_text(timings: &Timings, stop: Option<&StopReason>, seed: u64) -> String {
    let again = timings.prompt_tokens - timings.reused_tokens;
    let reused = match timings.reused_tokens {
        0 => String::new(),
        reused => format!(" (and {reused} that were known)"),
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

#[cfg(test)]
mod tests;
