//! The flags of how text is written, and the options they stand for.

use crate::fault::Fault;
use bessemer_llm::{
    Cancel, GenerateOptions, Llm,
    sampling::{BadSetting, Mirostat, Sampling},
};
use clap::{Args, builder::NonEmptyStringValueParser};
use std::{process, time::SystemTime};

/// How text is generated.
#[derive(Clone, Debug, Args)]
pub(crate) struct GenerateArgs {
    /// The most tokens to write [default: until the model ends, or the context is full]
    #[arg(long, short = 'n', value_name = "N")]
    max_tokens: Option<usize>,

    /// How wild: 0 takes the likeliest token always, 1 is what the model says [default: 0.8]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f32>,

    /// Only the K likeliest tokens; 0 is all [default: 40]
    #[arg(long, value_name = "K")]
    top_k: Option<usize>,

    /// Only the likeliest tokens that together have this probability; 1 is all [default: 0.95]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    top_p: Option<f32>,

    /// Only tokens at least this share as likely as the likeliest; 0 is all [default: 0.05]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    min_p: Option<f32>,

    /// The same seed gives the same text [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Ends the text where this comes; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    stop: Vec<String>,

    #[command(flatten)]
    finer: FinerArgs,
}

const HEADING: &str = "Finer control";

/// What few people set.
#[derive(Clone, Debug, Args)]
struct FinerArgs {
    /// Divides the logits of tokens seen lately; 1 is off [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = HEADING)]
    repeat_penalty: Option<f32>,

    /// Subtracted from the logits of tokens seen lately [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = HEADING)]
    presence_penalty: Option<f32>,

    /// Subtracted for each time a token was seen lately [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = HEADING)]
    frequency_penalty: Option<f32>,

    /// How many of the last tokens, prompt included, count as lately; 0 is none, -1 all [default: 64]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = window)]
    #[arg(help_heading = HEADING)]
    repeat_last_n: Option<usize>,

    /// Only tokens of typical surprise that together have this probability; 1 is all [default: 1]
    #[arg(long, value_name = "P", alias = "typical", allow_negative_numbers = true)]
    #[arg(help_heading = HEADING)]
    typical_p: Option<f32>,

    /// Mirostat 2: keeps the surprise of the text at this many bits, instead of --top-k, --top-p,
    /// --min-p and --typical-p [default: 5 with --mirostat-eta, else off]
    #[arg(long, value_name = "TAU", alias = "mirostat-ent", allow_negative_numbers = true)]
    #[arg(help_heading = HEADING)]
    mirostat_tau: Option<f32>,

    /// How fast mirostat corrects the surprise [default: 0.1 with --mirostat-tau, else off]
    #[arg(long, value_name = "ETA", alias = "mirostat-lr", allow_negative_numbers = true)]
    #[arg(help_heading = HEADING)]
    mirostat_eta: Option<f32>,

    /// Adds BIAS to the logit of a token, by its number (`bessemer tokenize`); -inf forbids it; may
    /// be given several times
    #[arg(long, value_name = "TOKEN=BIAS", value_parser = logit_bias, help_heading = HEADING)]
    logit_bias: Vec<(u32, f32)>,

    /// Guess tokens from what the text has said before: the text is the same, and comes sooner where
    /// it repeats itself or the prompt
    #[arg(long, help_heading = HEADING)]
    lookup: bool,
}

impl GenerateArgs {
    /// The options, checked for a vocabulary.
    pub(crate) fn options(&self, llm: &Llm, cancel: &Cancel) -> Result<GenerateOptions, Fault> {
        let sampling = self.sampling();
        sampling.check(llm.tokenizer().len()).map_err(|bad| wrong(&bad))?;
        Ok(GenerateOptions {
            max_tokens: self.max_tokens,
            sampling,
            stop: self.stop.clone(),
            lookup: self.finer.lookup,
            cancel: cancel.clone(),
            ..GenerateOptions::default()
        })
    }

    fn sampling(&self) -> Sampling {
        let usual = Sampling::default();
        let finer = &self.finer;
        Sampling {
            temperature: self.temperature.unwrap_or(usual.temperature),
            top_k: self.top_k.unwrap_or(usual.top_k),
            top_p: self.top_p.unwrap_or(usual.top_p),
            min_p: self.min_p.unwrap_or(usual.min_p),
            typical_p: finer.typical_p.unwrap_or(usual.typical_p),
            repeat_penalty: finer.repeat_penalty.unwrap_or(usual.repeat_penalty),
            presence_penalty: finer.presence_penalty.unwrap_or(usual.presence_penalty),
            frequency_penalty: finer.frequency_penalty.unwrap_or(usual.frequency_penalty),
            penalty_window: finer.repeat_last_n.unwrap_or(usual.penalty_window),
            mirostat: finer.mirostat(),
            logit_bias: finer.logit_bias.clone(),
            seed: self.seed.unwrap_or_else(any_seed),
        }
    }
}

impl FinerArgs {
    /// Either of its flags turns it on.
    fn mirostat(&self) -> Option<Mirostat> {
        let usual = Mirostat::default();
        (self.mirostat_tau.is_some() || self.mirostat_eta.is_some()).then(|| Mirostat {
            tau: self.mirostat_tau.unwrap_or(usual.tau),
            eta: self.mirostat_eta.unwrap_or(usual.eta),
        })
    }
}

/// A setting that makes no sense, by the flag it came from.
fn wrong(BadSetting { name, value, rule, .. }: &BadSetting) -> Fault {
    Fault::usage(format!("--{} {value}: {rule}", name.replace('_', "-")))
}

/// How many tokens count as seen lately: a number, or -1 for all.
pub(crate) fn window(text: &str) -> Result<usize, String> {
    match text {
        "-1" => Ok(usize::MAX),
        _ => text.parse().map_err(|_| "it is a number of tokens, or -1 for all".to_owned()),
    }
}

/// A token and what is added to its logit.
pub(crate) fn logit_bias(text: &str) -> Result<(u32, f32), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(token, bias)| Some((token.trim().parse().ok()?, bias.trim().parse().ok()?)));
    parsed.ok_or_else(|| "it is TOKEN=BIAS, such as 42=-1.5 or 42=-inf".to_owned())
}

/// A seed nobody chose, short enough to be typed again.
fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mixed =
        (now.as_nanos() as u64 ^ u64::from(process::id())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed >> 40
}
