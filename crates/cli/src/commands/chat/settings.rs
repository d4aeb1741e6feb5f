//! What `/set` shows and changes, but for the system prompt.

use crate::{
    fault::Fault,
    generate::{logit_bias, window},
};
use bessemer_llm::{GenerateOptions, sampling::Mirostat};
use std::{fmt::Display, str::FromStr};

/// The settings, the usual ones first.
pub(super) fn show(options: &GenerateOptions) -> String {
    let GenerateOptions { sampling, max_tokens, stop, lookup, .. } = options;
    let window = match sampling.penalty_window {
        usize::MAX => "-1".to_owned(),
        window => window.to_string(),
    };
    let bias = sampling.logit_bias.iter().map(|(token, bias)| format!("{token}={bias}"));
    let (bias, stop) = (bias.collect::<Vec<_>>(), stop.iter().map(|stop| format!("{stop:?}")));
    format!(
        "temperature {}, top_k {}, top_p {}, min_p {}, seed {}, max_tokens {}, stop {}\n\
         repeat_penalty {}, presence_penalty {}, frequency_penalty {}, repeat_last_n {window}\n\
         typical_p {}, mirostat_tau {}, mirostat_eta {}, logit_bias {}, lookup {}",
        sampling.temperature,
        sampling.top_k,
        sampling.top_p,
        sampling.min_p,
        sampling.seed,
        or_none(*max_tokens),
        list(stop.collect()),
        sampling.repeat_penalty,
        sampling.presence_penalty,
        sampling.frequency_penalty,
        sampling.typical_p,
        or_none(sampling.mirostat.map(|mirostat| mirostat.tau)),
        or_none(sampling.mirostat.map(|mirostat| mirostat.eta)),
        list(bias),
        if *lookup { "on" } else { "off" },
    )
}

fn or_none(value: Option<impl Display>) -> String {
    value.map_or("none".to_owned(), |value| value.to_string())
}

fn list(values: Vec<String>) -> String {
    or_none((!values.is_empty()).then(|| values.join(" ")))
}

/// Changes one. Whether its value makes sense to a sampler is not looked at.
pub(super) fn change(options: &mut GenerateOptions, key: &str, value: &str) -> Result<(), Fault> {
    let sampling = &mut options.sampling;
    let told = |why: String| Fault::usage(format!("/set {key} {value}: {why}"));
    match key {
        "temperature" => sampling.temperature = number(key, value)?,
        "top_k" => sampling.top_k = number(key, value)?,
        "top_p" => sampling.top_p = number(key, value)?,
        "min_p" => sampling.min_p = number(key, value)?,
        "seed" => sampling.seed = number(key, value)?,
        "max_tokens" if value == "none" => options.max_tokens = None,
        "max_tokens" => options.max_tokens = Some(number(key, value)?),
        "stop" if value == "none" => options.stop.clear(),
        "stop" => options.stop.push(value.to_owned()),
        "repeat_penalty" => sampling.repeat_penalty = number(key, value)?,
        "presence_penalty" => sampling.presence_penalty = number(key, value)?,
        "frequency_penalty" => sampling.frequency_penalty = number(key, value)?,
        "repeat_last_n" => sampling.penalty_window = window(value).map_err(told)?,
        "typical_p" => sampling.typical_p = number(key, value)?,
        "mirostat_tau" | "mirostat_eta" if value == "none" => sampling.mirostat = None,
        "mirostat_tau" => mirostat(options).tau = number(key, value)?,
        "mirostat_eta" => mirostat(options).eta = number(key, value)?,
        "logit_bias" if value == "none" => sampling.logit_bias.clear(),
        "logit_bias" => {
            let (token, bias) = logit_bias(value).map_err(told)?;
            sampling.logit_bias.retain(|&(other, _)| other != token);
            sampling.logit_bias.push((token, bias));
        }
        "lookup" => match value {
            "on" => options.lookup = true,
            "off" => options.lookup = false,
            _ => return Err(told("it is on or off".to_owned())),
        },
        _ => return Err(Fault::usage(format!("/set {key}: unknown; /help lists the keys"))),
    }
    Ok(())
}

fn mirostat(options: &mut GenerateOptions) -> &mut Mirostat {
    options.sampling.mirostat.get_or_insert_default()
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, Fault> {
    let wrong = || Fault::usage(format!("/set {key} {value}: that is no number it can be"));
    value.parse().map_err(|_| wrong())
}
