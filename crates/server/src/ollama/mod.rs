//! ollama's API: chat, generate, embed, and what its clients ask about models.

pub(crate) mod chat;
pub(crate) mod embed;
pub(crate) mod generate;
pub(crate) mod models;
mod options;
mod stream;

pub(crate) use chat::{ChatRequest, chat};
pub(crate) use embed::{EmbedRequest, embed, embeddings};
pub(crate) use generate::{GenerateRequest, generate};
pub(crate) use models::{ps, show, tags, version};

use crate::{App, Refusal};
use serde_json::{Value, json};
use std::time::SystemTime;

/// The body of an error.
pub(crate) fn error(refusal: &Refusal) -> Value {
    json!({ "error": refusal.message })
}

/// A time as clients expect it.
fn rfc3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| String::new(), |time| time.to_string())
}

/// The name of a model, without the tag that clients add to names that have none.
fn model_name(app: &App, name: Option<String>) -> Option<String> {
    let name = name?;
    match name.strip_suffix(":latest") {
        Some(short) if app.models.find(Some(&name)).is_err() => Some(short.to_owned()),
        _ => Some(name),
    }
}

/// Whether a model is to be dropped at once: `keep_alive` is 0.
fn is_unload(keep_alive: Option<&Value>) -> bool {
    match keep_alive {
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        Some(Value::String(text)) => matches!(text.as_str(), "0" | "0s" | "0m" | "0h"),
        _ => false,
    }
}
