//! Settings of text generation: how each is read, shown and checked. `table` declares them, once for command
//! lines, chats, JSON and libraries.

mod table;
#[cfg(test)]
mod tests;

pub use table::SETTINGS;

use super::GenerateOptions;
use crate::sampling::{BadSetting, Sampling};
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
/// assert_eq!(error.to_string(), "top_k many: not a whole number of at least 0, or -1 for off");
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
        rule: "a known setting",
    })
}
