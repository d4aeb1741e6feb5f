//! The `options` of a request, and its `format`.

use crate::{
    App, Refusal,
    ask::{self, Format, count, number, share},
};
use bessemer_llm::{GenerateOptions, sampling::Mirostat};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// How text is generated. What is not here is ignored, as ollama does.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct Options {
    /// The most tokens of the answer; -1 and -2 are no limit.
    pub(crate) num_predict: Option<i64>,
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) temperature: Option<f64>,
    pub(crate) top_k: Option<i64>,
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) top_p: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) min_p: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) typical_p: Option<f64>,
    pub(crate) repeat_last_n: Option<i64>,
    pub(crate) repeat_penalty: Option<f64>,
    pub(crate) presence_penalty: Option<f64>,
    pub(crate) frequency_penalty: Option<f64>,
    /// 2 turns Mirostat on.
    pub(crate) mirostat: Option<i64>,
    pub(crate) mirostat_tau: Option<f64>,
    pub(crate) mirostat_eta: Option<f64>,
    pub(crate) seed: Option<i64>,
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) stop: Option<Value>,
}

impl Options {
    pub(super) fn options(self, app: &App) -> Result<GenerateOptions, Refusal> {
        let stop = crate::openai::strings("options.stop", self.stop.as_ref())?;
        ask::stops("options.stop", &stop)?;
        let most = app.options.limits.answer_tokens;
        let max_tokens = match self.num_predict {
            Some(..0) => None,
            some => count("options.num_predict", some, 0..=most)?,
        };
        let mut options = GenerateOptions { max_tokens, stop, ..GenerateOptions::default() };
        let sampling = &mut options.sampling;
        let set = |to: &mut f32, value: Option<f32>| *to = value.unwrap_or(*to);
        set(
            &mut sampling.temperature,
            number("options.temperature", self.temperature, 0.0..=100.0)?,
        );
        set(&mut sampling.top_p, share("options.top_p", self.top_p)?);
        set(&mut sampling.min_p, share("options.min_p", self.min_p)?);
        set(&mut sampling.typical_p, share("options.typical_p", self.typical_p)?);
        let penalty = 0.01..=100.0;
        set(
            &mut sampling.repeat_penalty,
            number("options.repeat_penalty", self.repeat_penalty, penalty)?,
        );
        let penalty = -100.0..=100.0;
        let (presence, frequency) = (self.presence_penalty, self.frequency_penalty);
        let presence = number("options.presence_penalty", presence, penalty.clone())?;
        set(&mut sampling.presence_penalty, presence);
        let frequency = number("options.frequency_penalty", frequency, penalty)?;
        set(&mut sampling.frequency_penalty, frequency);
        match self.top_k {
            None => {}
            Some(..=0) => sampling.top_k = 0,
            Some(k) => sampling.top_k = k as usize,
        }
        match self.repeat_last_n {
            None => {}
            Some(..0) => sampling.penalty_window = usize::MAX,
            Some(n) => sampling.penalty_window = n as usize,
        }
        let tau = number("options.mirostat_tau", self.mirostat_tau, 0.01..=100.0)?;
        let eta = number("options.mirostat_eta", self.mirostat_eta, 0.0001..=1.0)?;
        match self.mirostat {
            None | Some(0) => {}
            Some(2) => {
                let usual = Mirostat::default();
                let (tau, eta) = (tau.unwrap_or(usual.tau), eta.unwrap_or(usual.eta));
                sampling.mirostat = Some(Mirostat { tau, eta });
            }
            Some(other) => {
                let why = format!("{other} is not 0 (off) or 2");
                return Err(Refusal::field("options.mirostat", why));
            }
        }
        sampling.seed = ask::seed(self.seed.filter(|&seed| seed != 0));
        Ok(options)
    }
}

/// `json`, or a JSON schema.
pub(super) fn format_of(format: Option<Value>) -> Result<Format, Refusal> {
    match format {
        None | Some(Value::Null) => Ok(Format::Free),
        Some(Value::String(word)) if word.is_empty() => Ok(Format::Free),
        Some(Value::String(word)) if word == "json" => Ok(Format::Object),
        Some(schema @ Value::Object(_)) => Ok(Format::Schema(schema)),
        Some(_) => Err(Refusal::field("format", "not \"json\" or a JSON schema")),
    }
}
