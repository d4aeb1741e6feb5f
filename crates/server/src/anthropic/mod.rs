//! Anthropic's API: messages.

pub(crate) mod messages;
mod request;
mod stream;

pub(crate) use messages::{count_tokens, messages};
pub(crate) use request::MessagesRequest;

use crate::{Kind, Refusal, ask::Reason};
use serde_json::{Value, json};

/// The body of an error.
pub(crate) fn error(refusal: &Refusal) -> Value {
    let kind = match refusal.kind {
        Kind::Invalid | Kind::TooLong | Kind::Method | Kind::MediaType | Kind::Timeout => {
            "invalid_request_error"
        }
        Kind::Unauthorized => "authentication_error",
        Kind::Forbidden => "permission_error",
        Kind::NoModel | Kind::NoPage => "not_found_error",
        Kind::TooLarge => "request_too_large",
        Kind::RateLimited | Kind::Busy => "rate_limit_error",
        Kind::NoMemory | Kind::Draining => "overloaded_error",
        Kind::Internal => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": refusal.message } })
}

/// Why it ended, and the text that ended it.
fn stop_of(reason: &Reason) -> (&'static str, Option<&str>) {
    match reason {
        Reason::End | Reason::Cancelled => ("end_turn", None),
        Reason::Stop(text) => ("stop_sequence", Some(text)),
        Reason::Length => ("max_tokens", None),
        Reason::Calls => ("tool_use", None),
    }
}
