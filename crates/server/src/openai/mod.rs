//! OpenAI's API: chat completions, completions, embeddings, responses and models.

pub(crate) mod chat;
pub(crate) mod completions;
mod content;
pub(crate) mod embeddings;
pub(crate) mod models;
mod respond;
pub(crate) mod responses;
mod settings;
mod tools;

pub(crate) use chat::{ChatRequest, chat};
pub(crate) use completions::{CompletionRequest, completions};
pub(crate) use content::{message_of, strings, text_of};
pub(crate) use embeddings::{EmbeddingRequest, embeddings, vectors};
pub(crate) use models::{model, models};
pub(crate) use responses::{Kept, ResponsesRequest, delete_response, get_response, responses};
pub(crate) use settings::logprobs_json;

use crate::{
    Kind, Refusal,
    ask::{Ended, Reason, Usage},
};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The body of an error.
pub(crate) fn error(refusal: &Refusal) -> Value {
    let (kind, code) = match refusal.kind {
        Kind::Invalid | Kind::Method | Kind::MediaType => ("invalid_request_error", None),
        Kind::TooLong => ("invalid_request_error", Some("context_length_exceeded")),
        Kind::TooLarge => ("invalid_request_error", Some("request_too_large")),
        Kind::Timeout => ("invalid_request_error", Some("timeout")),
        Kind::Unauthorized => ("authentication_error", Some("invalid_api_key")),
        Kind::Forbidden => ("permission_error", None),
        Kind::NoModel => ("invalid_request_error", Some("model_not_found")),
        Kind::NoPage => ("invalid_request_error", Some("not_found")),
        Kind::RateLimited => ("rate_limit_error", Some("rate_limit_exceeded")),
        Kind::Busy => ("rate_limit_error", Some("queue_full")),
        Kind::NoMemory => ("server_error", Some("no_memory")),
        Kind::Draining => ("server_error", Some("shutting_down")),
        Kind::Internal => ("server_error", None),
    };
    json!({
        "error": {
            "message": refusal.message,
            "type": kind,
            "param": refusal.field,
            "code": code,
        }
    })
}

/// Seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn finish_reason(reason: &Reason) -> &'static str {
    match reason {
        Reason::Length => "length",
        Reason::Calls => "tool_calls",
        Reason::End | Reason::Stop(_) | Reason::Cancelled => "stop",
    }
}

/// What the answers to one request used together. The prompt counts once for each.
fn usage_json(all: &[Usage]) -> Value {
    let sum = |part: fn(&Usage) -> usize| all.iter().map(part).sum::<usize>();
    let (prompt, answer) = (sum(|usage| usage.prompt), sum(|usage| usage.answer));
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": { "cached_tokens": sum(|usage| usage.cached) },
    })
}

/// How long an answer took, with the names that llama-server has for it.
fn timings_json(ended: &Ended) -> Value {
    let (usage, times) = (&ended.usage, &ended.times);
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let read = usage.prompt.saturating_sub(usage.cached);
    let rate = |count: usize, ms: f64| if ms > 0.0 { count as f64 / ms * 1e3 } else { 0.0 };
    json!({
        "cache_n": usage.cached,
        "prompt_n": read,
        "prompt_ms": ms(times.prefill),
        "prompt_per_second": rate(read, ms(times.prefill)),
        "predicted_n": usage.answer,
        "predicted_ms": ms(times.decode),
        "predicted_per_second": rate(usage.answer.saturating_sub(1), ms(times.decode)),
        "queue_ms": ms(times.queue),
        "load_ms": ms(times.load),
    })
}
