//! The settings of how text is written, each declared once: command lines, chats, JSON and
//! libraries read this table.

use super::GenerateOptions;
use crate::sampling::{BadSetting, Mirostat, Sampling};
use serde_json::{Map, Value};

/// A setting of [`GenerateOptions`]: what it is called, what it means, and what it may be.
///
/// ```
/// use bessemer_llm::{GenerateOptions, SETTINGS};
///
/// let mut options = GenerateOptions::default();
/// options.set("top_k", "20")?;
/// options.set("stop", "The End")?;
/// assert_eq!(options.get("top_k").as_deref(), Some("20"));
/// assert_eq!(options.stop, ["The End"]);
/// let error = options.set("top_k", "many").unwrap_err();
/// assert_eq!(error.to_string(), "top_k many: not a whole number of at least 0");
///
/// for setting in &SETTINGS {
///     println!("--{:<20} {}", setting.flag(), setting.help);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Setting {
    /// Its name, with underscores.
    pub name: &'static str,
    /// Other names that other programs have for it.
    pub aliases: &'static [&'static str],
    /// One letter for it, on command lines.
    pub short: Option<char>,
    /// What its value is called in help.
    pub value: &'static str,
    /// What it does, in a sentence without a full stop.
    pub help: &'static str,
    /// What it is when nobody sets it, for people to read.
    pub default: &'static str,
    /// What it may be: "a number from 0 to 1".
    pub rule: &'static str,
    /// What its values look like.
    pub takes: Takes,
    /// Whether few people set it.
    pub finer: bool,
    /// The value as text; `None` if there is none.
    get: fn(&GenerateOptions) -> Option<String>,
    /// Sets or adds a value; `None` if it cannot be read.
    set: fn(&mut GenerateOptions, &str) -> Option<()>,
    /// Unsets it, where it can be without a value.
    clear: Option<fn(&mut GenerateOptions)>,
    /// The value that breaks the rule, if it does, with a vocabulary of so many tokens.
    broken: fn(&Sampling, usize) -> Option<String>,
}

/// What the values of a setting look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One value; another replaces it.
    Value,
    /// Any number of values; each is added.
    Values,
    /// `on` or `off`.
    Switch,
}

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

/// A whole number of [`Sampling`].
macro_rules! whole {
    ($field:ident, $setting:expr) => {
        Setting {
            get: |options| Some(options.sampling.$field.to_string()),
            set: |options, text| text.parse().ok().map(|value| options.sampling.$field = value),
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
    rule: "a whole number of at least 0",
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
        short: Some('n'),
        help: "The maximum number of tokens to generate",
        default: "until the model stops, or the context is full",
        get: |options| options.max_tokens.map(|most| most.to_string()),
        set: |options, text| text.parse().ok().map(|most| options.max_tokens = Some(most)),
        clear: Some(|options| options.max_tokens = None),
        ..BASE
    },
    float!(
        temperature,
        |x| x.is_finite() && x >= 0.0,
        Setting {
            name: "temperature",
            value: "T",
            help: "Randomness: 0 always picks the most likely token, 1 samples from the model's own \
               probabilities",
            default: "0.8",
            rule: "a number of at least 0",
            ..BASE
        }
    ),
    whole!(
        top_k,
        Setting {
            name: "top_k",
            value: "K",
            help: "Sample from the K most likely tokens; 0 is off",
            default: "40",
            ..BASE
        }
    ),
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
    whole!(
        seed,
        Setting {
            name: "seed",
            help: "The seed of the random number generator; the same seed gives the same text",
            default: "a new one each time",
            ..BASE
        }
    ),
    Setting {
        name: "stop",
        value: "TEXT",
        help: "Stop before this string; can be given several times",
        rule: "a text that is not empty",
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
            help: "Subtract this for each recent occurrence of a token",
            default: "0",
            rule: "a finite number",
            ..FINER
        }
    ),
    Setting {
        name: "repeat_last_n",
        aliases: &["penalty_window"],
        help: "How many of the last tokens, prompt included, the penalties look at; 0 is none, -1 \
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
            help: "Locally typical sampling: tokens of typical surprise whose probabilities add up to P; 1 \
               is off",
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
            help: "Mirostat 2: keep the surprise of the text at this many bits, instead of top_k, \
               top_p, min_p and typical_p",
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
            help: "How fast mirostat corrects the surprise",
            default: "off, or 0.1 if mirostat_tau is set",
            rule: "a number above 0, up to 1",
            ..FINER
        }
    ),
    Setting {
        name: "logit_bias",
        value: "TOKEN=BIAS",
        help: "Add BIAS to the logit of a token, by its number; -inf forbids it; can be given \
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
        help: "Speculative decoding by prompt lookup: the text is the same, and comes sooner where \
               it repeats itself or the prompt",
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

impl Setting {
    /// The setting of this name, or that has it as an alias.
    pub fn find(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name || setting.aliases.contains(&name))
    }

    /// Its name on command lines.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Sets it from text, or adds to it if it [`Takes::Values`]; `none` unsets what can be.
    /// Whether the value is in range is for [`Sampling::check`], which knows the vocabulary.
    pub fn set(&self, options: &mut GenerateOptions, text: &str) -> Result<(), BadSetting> {
        match self.clear {
            Some(clear) if text == "none" => {
                clear(options);
                Ok(())
            }
            _ => (self.set)(options, text).ok_or_else(|| self.bad(text)),
        }
    }

    /// Its value as text, `none` if there is none.
    pub fn show(&self, options: &GenerateOptions) -> String {
        (self.get)(options).unwrap_or_else(|| "none".to_owned())
    }

    /// An error if `sampling` breaks its rule, with a vocabulary of so many tokens.
    pub(crate) fn check(&self, sampling: &Sampling, tokens: usize) -> Result<(), BadSetting> {
        (self.broken)(sampling, tokens).map_or(Ok(()), |value| Err(self.bad(&value)))
    }

    fn bad(&self, value: &str) -> BadSetting {
        BadSetting { name: self.name, value: value.to_owned(), rule: self.rule }
    }

    /// Sets it from JSON: numbers, booleans, texts, lists of them, and for biases an object of
    /// tokens. A list replaces what was there.
    fn set_json(&self, options: &mut GenerateOptions, value: &Value) -> Result<(), BadSetting> {
        let set = |options: &mut GenerateOptions, value: &Value| match value {
            // A text is taken as it is: "none" may be where an answer stops.
            Value::String(text) => (self.set)(options, text).ok_or_else(|| self.bad(text)),
            Value::Number(number) => {
                let text = number.to_string();
                (self.set)(options, &text).ok_or_else(|| self.bad(&text))
            }
            Value::Bool(on) => (self.set)(options, if *on { "on" } else { "off" })
                .ok_or_else(|| self.bad(&on.to_string())),
            other => Err(self.bad(&other.to_string())),
        };
        let many = self.takes == Takes::Values;
        if let Some(clear) = self.clear.filter(|_| many || value.is_null()) {
            clear(options);
        }
        match value {
            Value::Null => Ok(()),
            Value::Array(values) if many => values.iter().try_for_each(|one| set(options, one)),
            Value::Object(values) if many => values.iter().try_for_each(|(token, bias)| {
                let text =
                    format!("{token}={}", bias.as_str().map_or(bias.to_string(), str::to_owned));
                set(options, &Value::String(text))
            }),
            one => set(options, one),
        }
    }
}

impl GenerateOptions {
    /// Changes one setting, by its name. The value is text, as in a command line or a form.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadSetting> {
        known(name, value)?.set(self, value)
    }

    /// The value of a setting as text; `None` if it has none, or there is no such setting.
    pub fn get(&self, name: &str) -> Option<String> {
        (Setting::find(name)?.get)(self)
    }

    /// Changes the settings that a JSON object names; `null` unsets one. Nothing is changed if one
    /// of them is wrong.
    ///
    /// ```
    /// use bessemer_llm::GenerateOptions;
    /// use serde_json::json;
    ///
    /// let request = json!({ "temperature": 0.2, "stop": ["\n"], "logit_bias": { "42": -100 } });
    /// let mut options = GenerateOptions::default();
    /// options.set_json(request.as_object().unwrap())?;
    /// assert_eq!(options.sampling.temperature, 0.2);
    /// assert_eq!(options.sampling.logit_bias, [(42, -100.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_json(&mut self, settings: &Map<String, Value>) -> Result<(), BadSetting> {
        let mut changed = self.clone();
        for (name, value) in settings {
            known(name, &value.to_string())?.set_json(&mut changed, value)?;
        }
        *self = changed;
        Ok(())
    }
}

fn known(name: &str, value: &str) -> Result<&'static Setting, BadSetting> {
    Setting::find(name).ok_or_else(|| BadSetting {
        name: "setting",
        value: format!("{name} {value}"),
        rule: "one that there is",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_what_is_said_of_them() {
        let options = GenerateOptions::default();
        for setting in &SETTINGS {
            let shown = setting.show(&options);
            let said = match setting.default {
                "" => "none",
                said if said.starts_with("off, or") || said.starts_with("until") => "none",
                "a new one each time" => "0",
                said => said,
            };
            assert_eq!(shown, said, "{}", setting.name);
            assert!(!setting.help.ends_with('.') && !setting.rule.is_empty(), "{}", setting.name);
            setting.check(&options.sampling, 10).unwrap();
        }
    }

    #[test]
    fn what_is_set_is_shown() {
        let mut options = GenerateOptions::default();
        for (name, value) in [
            ("max_tokens", "7"),
            ("temperature", "0.25"),
            ("top_k", "3"),
            ("top_p", "0.5"),
            ("min_p", "0.125"),
            ("seed", "18446744073709551615"),
            ("repeat_penalty", "1.5"),
            ("presence_penalty", "-2"),
            ("frequency_penalty", "0.5"),
            ("repeat_last_n", "-1"),
            ("typical_p", "0.75"),
            ("mirostat_tau", "3"),
            ("mirostat_eta", "0.5"),
            ("logit_bias", "7=-inf"),
            ("lookup", "on"),
        ] {
            options.set(name, value).unwrap();
            assert_eq!(options.get(name).as_deref(), Some(value), "{name}");
        }
        options.set("stop", "a b").unwrap();
        options.set("stop", "c").unwrap();
        assert_eq!(options.stop, ["a b", "c"]);
        for name in ["stop", "max_tokens", "mirostat_eta", "logit_bias"] {
            options.set(name, "none").unwrap();
            assert_eq!(options.get(name), None, "{name}");
        }
        options.set("typical", "0.5").unwrap();
        assert_eq!(options.sampling.typical_p, 0.5);
        for (name, value) in [
            ("top_k", "-1"),
            ("top_k", "none"),
            ("lookup", "maybe"),
            ("logit_bias", "7"),
            ("stop", ""),
            ("repeat_last_n", "-2"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name} {value}: not ")), "{error}");
        }
        let error = options.set("top_q", "1").unwrap_err().to_string();
        assert!(error.contains("top_q"), "{error}");
    }

    #[test]
    fn json_sets_the_same() {
        let mut options = GenerateOptions::default();
        let set = |options: &mut GenerateOptions, value: Value| {
            options.set_json(value.as_object().unwrap())
        };
        let all = json!({
            "max_tokens": 5, "temperature": 0, "stop": "none", "lookup": true, "repeat_last_n": -1,
            "logit_bias": { "1": -5, "2": "-inf" }, "mirostat_tau": 2.5,
        });
        set(&mut options, all).unwrap();
        assert_eq!((options.max_tokens, &options.stop[..]), (Some(5), &["none".to_owned()][..]));
        assert_eq!(options.sampling.logit_bias, [(1, -5.0), (2, f32::NEG_INFINITY)]);
        assert!(options.lookup && options.sampling.penalty_window == usize::MAX);
        set(&mut options, json!({ "max_tokens": null, "stop": ["a", "b"], "top_k": null }))
            .unwrap();
        assert_eq!((options.max_tokens, options.stop.len()), (None, 2));
        for wrong in [json!({ "top_k": 1.5 }), json!({ "seed": [1] }), json!({ "nothing": 1 })] {
            let mut wrong = wrong;
            wrong["temperature"] = json!(1.5);
            assert!(set(&mut options, wrong).is_err());
            assert_eq!(options.sampling.temperature, 0.0, "nothing is changed");
        }
    }
}
