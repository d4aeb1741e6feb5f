//! The settings that several requests have: sampling, stops, formats, probabilities.

use super::strings;
use crate::{
    Refusal,
    ask::{self, Format, Word, count, number, share},
    options::Limits,
};
use bessemer_llm::{GenerateOptions, sampling::Mirostat};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// Declares a request with the settings that all have; serde's `flatten` would lose the names of fields in
/// errors.
macro_rules! with_settings {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Default, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
            /// 0 is always the likeliest token; more is wilder.
            #[schema(minimum = 0, maximum = 100)]
            pub(crate) temperature: Option<f64>,
            /// The share of probability to choose from.
            #[schema(minimum = 0, maximum = 1)]
            pub(crate) top_p: Option<f64>,
            /// The number of likeliest tokens to choose from; 0 or -1 is all.
            #[schema(minimum = -1)]
            pub(crate) top_k: Option<i64>,
            /// The least probability, as a share of the likeliest token's.
            #[schema(minimum = 0, maximum = 1)]
            pub(crate) min_p: Option<f64>,
            /// Locally typical sampling.
            #[schema(minimum = 0, maximum = 1)]
            pub(crate) typical_p: Option<f64>,
            /// The same seed gives the same answer; -1 is random.
            pub(crate) seed: Option<i64>,
            #[schema(minimum = -100, maximum = 100)]
            pub(crate) presence_penalty: Option<f64>,
            #[schema(minimum = -100, maximum = 100)]
            pub(crate) frequency_penalty: Option<f64>,
            /// Divides the logits of recent tokens; 1 is off.
            #[serde(alias = "repetition_penalty")]
            pub(crate) repeat_penalty: Option<f64>,
            /// How many recent tokens the penalties apply to; -1 is all.
            #[schema(minimum = -1)]
            pub(crate) repeat_last_n: Option<i64>,
            /// The surprise that Mirostat aims at.
            pub(crate) mirostat_tau: Option<f64>,
            /// How fast Mirostat learns.
            pub(crate) mirostat_eta: Option<f64>,
            /// What to add to the logits of tokens, by their numbers.
            #[schema(value_type = Option<std::collections::BTreeMap<String, f64>>)]
            pub(crate) logit_bias: Option<serde_json::Map<String, serde_json::Value>>,
            /// A text that ends the answer, or several.
            #[schema(value_type = Option<Vec<String>>)]
            pub(crate) stop: Option<serde_json::Value>,
            /// Whether to go on after the tokens that end a text.
            pub(crate) ignore_eos: Option<bool>,
            /// Speculative decoding by prompt lookup: the same answer, sooner where it repeats itself.
            pub(crate) lookup: Option<bool>,
            /// Who asks, for fairness between several behind one key.
            pub(crate) user: Option<String>,
            /// More goes first: -1, 0 or 1.
            #[schema(minimum = -1, maximum = 1)]
            pub(crate) priority: Option<i64>,
            /// Whether it is sent as it comes.
            pub(crate) stream: Option<bool>,
        }

        impl $name {
            /// The settings that all requests have.
            pub(crate) fn settings(&mut self) -> $crate::openai::settings::Settings {
                $crate::openai::settings::Settings {
                    temperature: self.temperature,
                    top_p: self.top_p,
                    top_k: self.top_k,
                    min_p: self.min_p,
                    typical_p: self.typical_p,
                    seed: self.seed,
                    presence_penalty: self.presence_penalty,
                    frequency_penalty: self.frequency_penalty,
                    repeat_penalty: self.repeat_penalty,
                    repeat_last_n: self.repeat_last_n,
                    mirostat_tau: self.mirostat_tau,
                    mirostat_eta: self.mirostat_eta,
                    logit_bias: self.logit_bias.take(),
                    stop: self.stop.take(),
                    ignore_eos: self.ignore_eos,
                    lookup: self.lookup,
                    priority: self.priority,
                }
            }
        }
    };
}
pub(super) use with_settings;

/// The settings that all requests have.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) top_k: Option<i64>,
    pub(crate) min_p: Option<f64>,
    pub(crate) typical_p: Option<f64>,
    pub(crate) seed: Option<i64>,
    pub(crate) presence_penalty: Option<f64>,
    pub(crate) frequency_penalty: Option<f64>,
    pub(crate) repeat_penalty: Option<f64>,
    pub(crate) repeat_last_n: Option<i64>,
    pub(crate) mirostat_tau: Option<f64>,
    pub(crate) mirostat_eta: Option<f64>,
    pub(crate) logit_bias: Option<Map<String, Value>>,
    pub(crate) stop: Option<Value>,
    pub(crate) ignore_eos: Option<bool>,
    pub(crate) lookup: Option<bool>,
    pub(crate) priority: Option<i64>,
}

impl Settings {
    /// What the engine takes.
    pub(super) fn options(self) -> Result<GenerateOptions, Refusal> {
        let mut options = GenerateOptions {
            stop: strings("stop", self.stop.as_ref())?,
            ignore_end: self.ignore_eos.unwrap_or(false),
            lookup: self.lookup.unwrap_or(false),
            ..GenerateOptions::default()
        };
        ask::stops("stop", &options.stop)?;
        let sampling = &mut options.sampling;
        let set = |to: &mut f32, value: Option<f32>| *to = value.unwrap_or(*to);
        set(&mut sampling.temperature, number("temperature", self.temperature, 0.0..=100.0)?);
        set(&mut sampling.top_p, share("top_p", self.top_p)?);
        set(&mut sampling.min_p, share("min_p", self.min_p)?);
        set(&mut sampling.typical_p, share("typical_p", self.typical_p)?);
        let penalty = -100.0..=100.0;
        set(
            &mut sampling.presence_penalty,
            number("presence_penalty", self.presence_penalty, penalty.clone())?,
        );
        set(
            &mut sampling.frequency_penalty,
            number("frequency_penalty", self.frequency_penalty, penalty)?,
        );
        set(
            &mut sampling.repeat_penalty,
            number("repeat_penalty", self.repeat_penalty, 0.01..=100.0)?,
        );
        let top_k = self.top_k.filter(|&k| k != -1);
        sampling.top_k = match (self.top_k, count("top_k", top_k, 0..=u32::MAX as usize)?) {
            (None, _) => sampling.top_k,
            (Some(_), k) => k.unwrap_or(0),
        };
        sampling.penalty_window = match self.repeat_last_n {
            None => sampling.penalty_window,
            Some(-1) => usize::MAX,
            some => count("repeat_last_n", some, 0..=1 << 20)?.unwrap_or_default(),
        };
        let tau = number("mirostat_tau", self.mirostat_tau, 0.01..=100.0)?;
        let eta = number("mirostat_eta", self.mirostat_eta, 0.0001..=1.0)?;
        if tau.is_some() || eta.is_some() {
            let usual = Mirostat::default();
            let (tau, eta) = (tau.unwrap_or(usual.tau), eta.unwrap_or(usual.eta));
            sampling.mirostat = Some(Mirostat { tau, eta });
        }
        sampling.logit_bias = biases(self.logit_bias)?;
        sampling.seed = ask::seed(self.seed);
        Ok(options)
    }

    /// Who goes first.
    pub(super) fn priority(&self) -> Result<i32, Refusal> {
        match self.priority {
            None => Ok(0),
            Some(priority @ -1..=1) => Ok(priority as i32),
            Some(other) => Err(Refusal::field("priority", format!("{other} is not -1, 0 or 1"))),
        }
    }
}

fn biases(biases: Option<Map<String, Value>>) -> Result<Vec<(u32, f32)>, Refusal> {
    const MOST: usize = 1024;
    let biases = biases.unwrap_or_default();
    if biases.len() > MOST {
        let count = biases.len();
        return Err(Refusal::field("logit_bias", format!("{count} tokens are more than {MOST}")));
    }
    let bias = |(token, bias): (&String, &Value)| {
        let shown: String = token.chars().take(40).collect();
        let field = format!("logit_bias.{shown}");
        let Ok(token) = token.parse() else {
            return Err(Refusal::field(field, "the name is not the number of a token"));
        };
        match bias.as_f64().filter(|bias| (-100.0..=100.0).contains(bias)) {
            // The API's way to forbid a token.
            Some(-100.0) => Ok((token, f32::NEG_INFINITY)),
            Some(bias) => Ok((token, bias as f32)),
            None => Err(Refusal::field(field, format!("{bias} is not a number from -100 to 100"))),
        }
    };
    biases.iter().map(bias).collect()
}

/// What an answer has to match.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct ResponseFormat {
    /// `text`, `json_object`, `json_schema`, `regex` or `grammar`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// For `json_schema`: an object with the `schema`.
    #[schema(value_type = Option<Object>)]
    pub(crate) json_schema: Option<Value>,
    /// The schema itself, as `/v1/responses` and llama-server have it.
    #[schema(value_type = Option<Object>)]
    pub(crate) schema: Option<Value>,
    /// For `regex`.
    pub(crate) regex: Option<String>,
    /// For `grammar`: in the form of Lark.
    pub(crate) grammar: Option<String>,
}

impl ResponseFormat {
    pub(super) fn format(self, field: &str, limits: &Limits) -> Result<Format, Refusal> {
        let missing = |name: &str| Refusal::field(format!("{field}.{name}"), "missing");
        let text = |name: &str, text: Option<String>| {
            let text = text.ok_or_else(|| missing(name))?;
            if text.len() > limits.grammar_bytes {
                let (len, most) = (text.len(), limits.grammar_bytes);
                let why = format!("{len} bytes are more than the limit of {most}");
                return Err(Refusal::field(format!("{field}.{name}"), why));
            }
            Ok(text)
        };
        match self.kind.as_str() {
            "text" => Ok(Format::Free),
            // A schema with it is taken too, as llama-server does.
            "json_object" => Ok(self.schema.map_or(Format::Object, Format::Schema)),
            "json_schema" => {
                let inside =
                    self.json_schema.and_then(|mut json| json.get_mut("schema").map(Value::take));
                let schema = inside.or(self.schema).ok_or_else(|| missing("json_schema.schema"))?;
                if !schema.is_object() && !schema.is_boolean() {
                    let field = format!("{field}.json_schema.schema");
                    return Err(Refusal::field(field, "not a JSON schema, which is an object"));
                }
                Ok(Format::Schema(schema))
            }
            "regex" => Ok(Format::Regex(text("regex", self.regex)?)),
            "grammar" => Ok(Format::Lark(text("grammar", self.grammar)?)),
            other => {
                let other: String = other.chars().take(40).collect();
                let why =
                    format!("{other:?} is not text, json_object, json_schema, regex or grammar");
                Err(Refusal::field(format!("{field}.type"), why))
            }
        }
    }
}

/// Tokens with their probabilities, as chat completions have them.
pub(crate) fn logprobs_json(words: &[Word]) -> Value {
    let likely = |likely: &ask::Likely| json!({ "token": likely.text(), "logprob": likely.logprob, "bytes": likely.bytes });
    let word = |word: &Word| {
        let mut json = likely(&word.likely);
        json["top_logprobs"] = word.top.iter().map(likely).collect();
        json
    };
    json!({ "content": words.iter().map(word).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_name_their_field() {
        let error = |settings: Settings| settings.options().unwrap_err().message;
        assert_eq!(
            error(Settings { top_p: Some(1.5), ..Settings::default() }),
            "top_p: 1.5 is not a number from 0 to 1"
        );
        assert_eq!(
            error(Settings { top_k: Some(-2), ..Settings::default() }),
            "top_k: -2 is not a whole number from 0 to 4294967295"
        );
        let biased =
            |json: Value| Settings { logit_bias: json.as_object().cloned(), ..Settings::default() };
        assert!(error(biased(json!({ "x": 1 }))).starts_with("logit_bias.x: the name is not"));
        assert!(error(biased(json!({ "1": 101 }))).starts_with("logit_bias.1: 101 is not"));
        let options = biased(json!({ "1": -100, "2": 3 })).options().unwrap();
        assert_eq!(options.sampling.logit_bias, [(1, f32::NEG_INFINITY), (2, 3.0)]);
        let all = Settings { top_k: Some(-1), repeat_last_n: Some(-1), ..Settings::default() };
        let sampling = all.options().unwrap().sampling;
        assert_eq!((sampling.top_k, sampling.penalty_window), (0, usize::MAX));
    }

    #[test]
    fn formats_are_checked() {
        let format = |json: Value| {
            let format: ResponseFormat = serde_json::from_value(json).unwrap();
            format.format("response_format", &Limits::default()).map_err(|refusal| refusal.message)
        };
        assert_eq!(format(json!({ "type": "json_object" })), Ok(Format::Object));
        let schema =
            json!({ "type": "json_schema", "json_schema": { "schema": { "type": "number" } } });
        assert_eq!(format(schema), Ok(Format::Schema(json!({ "type": "number" }))));
        assert_eq!(
            format(json!({ "type": "json_schema" })).unwrap_err(),
            "response_format.json_schema.schema: missing"
        );
        assert!(format(json!({ "type": "xml" })).unwrap_err().contains("\"xml\" is not text"));
    }
}
