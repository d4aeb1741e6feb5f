//! Why a request is not answered, whatever API it came by. Each API has its own form for it.

use axum::http::StatusCode;
use std::{fmt, time::Duration};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// What sort of reason.
    pub(crate) kind: Kind,
    /// The field of the request that is wrong, as the client spells it: `messages[2].content`.
    pub(crate) field: Option<String>,
    /// What is wrong, with the values, for people.
    pub(crate) message: String,
    /// When it is worth asking again.
    pub(crate) retry_after: Option<Duration>,
}

/// The sorts of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The request is wrong.
    Invalid,
    /// The prompt is longer than the context.
    TooLong,
    /// No key, or an unknown one.
    Unauthorized,
    /// A page of another site asks, or one that pretends to be here.
    Forbidden,
    /// There is no such model.
    NoModel,
    /// There is no such page.
    NoPage,
    /// The page takes another method.
    Method,
    /// The body is too large.
    TooLarge,
    /// The body is not JSON by its headers.
    MediaType,
    /// The body took too long to come.
    Timeout,
    /// The key has used up what it may.
    RateLimited,
    /// The queue is full.
    Busy,
    /// There is no memory for the model beside those in use.
    NoMemory,
    /// The server is about to end.
    Draining,
    /// It is the server's fault.
    Internal,
}

impl Kind {
    /// The status it is answered with.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Kind::Invalid | Kind::TooLong => StatusCode::BAD_REQUEST,
            Kind::Unauthorized => StatusCode::UNAUTHORIZED,
            Kind::Forbidden => StatusCode::FORBIDDEN,
            Kind::NoModel | Kind::NoPage => StatusCode::NOT_FOUND,
            Kind::Method => StatusCode::METHOD_NOT_ALLOWED,
            Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Kind::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Kind::Timeout => StatusCode::REQUEST_TIMEOUT,
            Kind::RateLimited | Kind::Busy => StatusCode::TOO_MANY_REQUESTS,
            Kind::NoMemory | Kind::Draining => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// One word for it, for the label of a metric.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::TooLong => "too_long",
            Kind::Unauthorized => "unauthorized",
            Kind::Forbidden => "forbidden",
            Kind::NoModel => "no_model",
            Kind::NoPage => "no_page",
            Kind::Method => "method",
            Kind::TooLarge => "too_large",
            Kind::MediaType => "media_type",
            Kind::Timeout => "timeout",
            Kind::RateLimited => "rate_limited",
            Kind::Busy => "busy",
            Kind::NoMemory => "no_memory",
            Kind::Draining => "draining",
            Kind::Internal => "internal",
        }
    }
}

impl Refusal {
    /// A reason without a field.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Refusal {
        Refusal { kind, field: None, message: message.into(), retry_after: None }
    }

    /// A field that is wrong, and why.
    pub(crate) fn field(field: impl Into<String>, why: impl fmt::Display) -> Refusal {
        let field = field.into();
        let message = format!("{field}: {why}");
        Refusal { kind: Kind::Invalid, field: Some(field), message, retry_after: None }
    }

    /// A fault of the server. What went wrong is for its log; clients learn only that.
    pub(crate) fn internal(why: impl fmt::Display) -> Refusal {
        tracing::error!(error = %why, "a request failed");
        Refusal::new(Kind::Internal, "the server failed at this request; its log says why")
    }

    /// The same, to be asked again after a while.
    pub(crate) fn after(self, time: Duration) -> Refusal {
        Refusal { retry_after: Some(time), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
