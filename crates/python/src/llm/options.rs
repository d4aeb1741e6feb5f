//! Keyword arguments as settings of text generation. The table of settings is the engine's own.

use crate::errors::{exception, type_error, value_error};
use bessemer::{
    DType,
    llm::{GenerateOptions, SessionOptions, Setting, WhenFull},
};
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyString},
};
use serde_json::{Map, Value};

/// The settings that keyword arguments name.
pub(super) fn generate_options(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<GenerateOptions> {
    let mut options = GenerateOptions::default();
    let mut settings = Map::new();
    for (name, value) in kwargs.into_iter().flat_map(|kwargs| kwargs.iter()) {
        let name: String = name.extract()?;
        match name.as_str() {
            "ignore_end" => options.ignore_end = value.extract()?,
            "show_special" => options.show_special = value.extract()?,
            "keep" => {
                let keep: Option<usize> = value.extract()?;
                options.when_full = keep.map_or(WhenFull::Stop, |keep| WhenFull::Shift { keep });
            }
            _ if Setting::find(&name).is_none() => {
                return Err(type_error(format!(
                    "generate: there is no setting `{name}`; see `bessemer.llm.settings()`"
                )));
            }
            _ => {
                settings.insert(name, json(&value)?);
            }
        }
    }
    let wrong = |error| exception(&bessemer::llm::Error::Sampling(error).into());
    options.set_json(&settings).map_err(wrong)?;
    Ok(options)
}

/// How a session is opened.
pub(super) fn session_options(
    context: Option<usize>,
    cache: &str,
    chunk: Option<usize>,
) -> PyResult<SessionOptions> {
    let cache: DType = cache.parse().map_err(|error| value_error(format!("session: {error}")))?;
    let default = SessionOptions::default();
    Ok(SessionOptions { context, cache, chunk: chunk.unwrap_or(default.chunk), ..default })
}

/// Python's values as JSON.
pub(super) fn json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if value.is_instance_of::<PyInt>() {
        return match value.extract::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) => Ok(value.extract::<u64>()?.into()),
        };
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = serde_json::Number::from_f64(number.value());
        return number.map(Value::Number).ok_or_else(|| value_error("a setting must be finite"));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.into());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let entries = dict.iter().map(|(key, value)| Ok((key.str()?.to_string(), json(&value)?)));
        return Ok(Value::Object(entries.collect::<PyResult<_>>()?));
    }
    let items = value.try_iter().map_err(|_| {
        type_error(format!(
            "{} is nothing that JSON could say",
            value.repr().map_or_else(|_| "it".into(), |text| text.to_string())
        ))
    })?;
    items.map(|item| json(&item?)).collect::<PyResult<Vec<_>>>().map(Value::Array)
}
