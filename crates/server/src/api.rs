//! The APIs that are spoken here, and the form that each gives errors.

use crate::{Kind, Refusal, anthropic, ollama, openai};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

/// An API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// OpenAI's, and everything of our own.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// ollama's.
    Ollama,
}

impl Api {
    /// The API that a path belongs to. Errors before there is a handler take its form.
    pub(crate) fn of(path: &str) -> Api {
        if path == "/v1/messages" || path.starts_with("/v1/messages/") {
            Api::Anthropic
        } else if path.starts_with("/api/") {
            Api::Ollama
        } else {
            Api::OpenAi
        }
    }

    /// The body of an error.
    pub(crate) fn error(self, refusal: &Refusal) -> serde_json::Value {
        match self {
            Api::OpenAi => openai::error(refusal),
            Api::Anthropic => anthropic::error(refusal),
            Api::Ollama => ollama::error(refusal),
        }
    }

    /// The answer to a request that is refused.
    pub(crate) fn refuse(self, refusal: &Refusal) -> Response {
        let mut response = (refusal.kind.status(), axum::Json(self.error(refusal))).into_response();
        let headers = response.headers_mut();
        if let Some(time) = refusal.retry_after {
            // Whole seconds, and not at once.
            let seconds = time.as_secs_f64().ceil().max(1.0) as u64;
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if refusal.kind == Kind::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
