//! The table of settings: a new one is an entry here.

use super::{Setting, Takes};
use crate::sampling::{Mirostat, random_seed};

/// A float of [`Sampling`], and when it is good.
macro_rules! float {
    ($field:ident, $good:expr, $setting:expr) => {
        Setting {
            get: |options| Some(options.sampling.$field.to_string()),
            set: |options, text| text.parse().ok().map(|value| options.sampling.$field = value),
            broken: |sampling, _| {
                let good: fn(f32) -> bool = $good;
                (!good(sampling.$field)).then(|| sampling.$field.to_string())
            },
            ..$setting
        }
    };
}

/// A part of [`Mirostat`]: setting one turns it on, with the default of the other.
macro_rules! mirostat {
    ($field:ident, $good:expr, $setting:expr) => {
        Setting {
            get: |options| Some(options.sampling.mirostat?.$field.to_string()),
            set: |options, text| {
                let value = text.parse().ok()?;
                options.sampling.mirostat.get_or_insert_with(Mirostat::default).$field = value;
                Some(())
            },
            clear: Some(|options| options.sampling.mirostat = None),
            broken: |sampling, _| {
                let good: fn(f32) -> bool = $good;
                let value = sampling.mirostat?.$field;
                (!good(value)).then(|| value.to_string())
            },
            ..$setting
        }
    };
}

const BASE: Setting = Setting {
    name: "",
    aliases: &[],
    short: None,
    value: "N",
    help: "",
    default: "",
    rule: "",
    takes: Takes::Value,
    finer: false,
    get: |_| None,
    set: |_, _| None,
    clear: None,
    broken: |_, _| None,
};

const FINER: Setting = Setting { finer: true, ..BASE };

const SHARE: &str = "a number from 0 to 1";

fn is_share(x: f32) -> bool {
    (0.0..=1.0).contains(&x)
}

/// All settings: the common ones first, in the order of help.
pub static SETTINGS: [Setting; 16] = [
    Setting {
        name: "max_tokens",
        aliases: &["n_predict", "num_predict"],
        short: Some('n'),
        help: "The maximum number of tokens to generate; -1 is no maximum",
        default: "until the model stops or the context is full",
        rule: "a whole number of at least 0, or -1 for no maximum",
        get: |options| options.max_tokens.map(|most| most.to_string()),
        set: |options, text| {
            options.max_tokens = if text == "-1" { None } else { Some(text.parse().ok()?) };
            Some(())
        },
        clear: Some(|options| options.max_tokens = None),
        ..BASE
    },
    float!(
        temperature,
        |x| x.is_finite() && x >= 0.0,
        Setting {
            name: "temperature",
            aliases: &["temp"],
            value: "T",
            help: "Randomness: 0 always picks the most likely token, 1 samples from the model's own \
               probabilities",
            default: "0.8",
            rule: "a number of at least 0",
            ..BASE
        }
    ),
    Setting {
        name: "top_k",
        value: "K",
        help: "Sample from the K most likely tokens; 0 or -1 is off",
        default: "40",
        rule: "a whole number of at least 0, or -1 for off",
        get: |options| Some(options.sampling.top_k.to_string()),
        set: |options, text| {
            options.sampling.top_k = if text == "-1" { 0 } else { text.parse().ok()? };
            Some(())
        },
        ..BASE
    },
    float!(
        top_p,
        is_share,
        Setting {
            name: "top_p",
            value: "P",
            help: "Sample from the most likely tokens whose probabilities add up to P; 1 is off",
            default: "0.95",
            rule: SHARE,
            ..BASE
        }
    ),
    float!(
        min_p,
        is_share,
        Setting {
            name: "min_p",
            value: "P",
            help: "Sample from tokens at least P times as likely as the most likely one; 0 is off",
            default: "0.05",
            rule: SHARE,
            ..BASE
        }
    ),
    Setting {
        name: "seed",
        short: Some('s'),
        help: "The seed of the random number generator; the same seed gives the same text; -1 is random",
        default: "random",
        rule: "a whole number of at least 0, or -1 for a random one",
        get: |options| Some(options.sampling.seed.to_string()),
        set: |options, text| {
            options.sampling.seed = if text == "-1" { random_seed() } else { text.parse().ok()? };
            Some(())
        },
        ..BASE
    },
    Setting {
        name: "stop",
        value: "TEXT",
        help: "Stop before this string; can be given several times",
        rule: "a non-empty text",
        takes: Takes::Values,
        get: |options| {
            let stops: Vec<String> = options.stop.iter().map(|stop| format!("{stop:?}")).collect();
            (!stops.is_empty()).then(|| stops.join(" "))
        },
        set: |options, text| (!text.is_empty()).then(|| options.stop.push(text.to_owned())),
        clear: Some(|options| options.stop.clear()),
        ..BASE
    },
    float!(
        repeat_penalty,
        |x| x.is_finite() && x > 0.0,
        Setting {
            name: "repeat_penalty",
            value: "X",
            help: "Divide the logits of recent tokens by this; 1 is off",
            default: "1",
            rule: "a number above 0",
            ..FINER
        }
    ),
    float!(
        presence_penalty,
        f32::is_finite,
        Setting {
            name: "presence_penalty",
            value: "X",
            help: "Subtract this from the logits of recent tokens",
            default: "0",
            rule: "a finite number",
            ..FINER
        }
    ),
    float!(
        frequency_penalty,
        f32::is_finite,
        Setting {
            name: "frequency_penalty",
            value: "X",
            help: "Subtract this from a token's logit for each recent occurrence",
            default: "0",
            rule: "a finite number",
            ..FINER
        }
    ),
    Setting {
        name: "repeat_last_n",
        aliases: &["penalty_window"],
        help: "Number of recent tokens, prompt included, that the penalties apply to; 0 is none, -1 \
               is all",
        default: "64",
        rule: "a number of tokens, or -1 for all",
        get: |options| {
            Some(match options.sampling.penalty_window {
                usize::MAX => "-1".to_owned(),
                window => window.to_string(),
            })
        },
        set: |options, text| {
            let window = if text == "-1" { usize::MAX } else { text.parse().ok()? };
            options.sampling.penalty_window = window;
            Some(())
        },
        ..FINER
    },
    float!(
        typical_p,
        is_share,
        Setting {
            name: "typical_p",
            aliases: &["typical"],
            value: "P",
            help: "Locally typical sampling: sample from the most typical tokens whose probabilities add up to P; \
               1 is off",
            default: "1",
            rule: SHARE,
            ..FINER
        }
    ),
    mirostat!(
        tau,
        |x| x.is_finite() && x > 0.0,
        Setting {
            name: "mirostat_tau",
            aliases: &["mirostat_ent"],
            value: "TAU",
            help: "Mirostat 2: the target surprise (entropy) in bits; replaces top_k, top_p, min_p and \
               typical_p",
            default: "off, or 5 if mirostat_eta is set",
            rule: "a number above 0",
            ..FINER
        }
    ),
    mirostat!(
        eta,
        |x| x > 0.0 && x <= 1.0,
        Setting {
            name: "mirostat_eta",
            aliases: &["mirostat_lr"],
            value: "ETA",
            help: "Mirostat learning rate",
            default: "off, or 0.1 if mirostat_tau is set",
            rule: "a number above 0, up to 1",
            ..FINER
        }
    ),
    Setting {
        name: "logit_bias",
        value: "TOKEN=BIAS",
        help: "Add BIAS to the logit of the token with id TOKEN; -inf forbids it; can be given \
               several times",
        rule: "TOKEN=BIAS with a token of the vocabulary and a number or minus infinity, such as \
               42=-1.5 or 42=-inf",
        takes: Takes::Values,
        get: |options| {
            let biases = options.sampling.logit_bias.iter();
            let biases: Vec<String> =
                biases.map(|(token, bias)| format!("{token}={bias}")).collect();
            (!biases.is_empty()).then(|| biases.join(" "))
        },
        set: |options, text| {
            let (token, bias) = text.split_once('=')?;
            let (token, bias): (u32, f32) = (token.trim().parse().ok()?, bias.trim().parse().ok()?);
            let biases = &mut options.sampling.logit_bias;
            biases.retain(|&(other, _)| other != token);
            biases.push((token, bias));
            Some(())
        },
        clear: Some(|options| options.sampling.logit_bias.clear()),
        broken: |sampling, tokens| {
            let mut biases = sampling.logit_bias.iter();
            let wrong = |&&(token, bias): &&(u32, f32)| {
                token as usize >= tokens || bias.is_nan() || bias == f32::INFINITY
            };
            biases.find(wrong).map(|(token, bias)| format!("{token}={bias}"))
        },
        ..FINER
    },
    Setting {
        name: "lookup",
        help: "Speculative decoding by prompt lookup: the same text, but faster where it repeats \
               itself or the prompt",
        default: "off",
        rule: "on or off",
        takes: Takes::Switch,
        get: |options| Some(if options.lookup { "on" } else { "off" }.to_owned()),
        set: |options, text| {
            options.lookup = match text {
                "on" | "true" => true,
                "off" | "false" => false,
                _ => return None,
            };
            Some(())
        },
        ..FINER
    },
];
