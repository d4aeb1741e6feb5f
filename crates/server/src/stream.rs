//! Answers that are sent as they come: server-sent events, or a line of JSON for each.

use crate::{
    Refusal,
    ask::{Answers, Event},
};
use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;
use std::{convert::Infallible, fmt::Write, pin::Pin, time::Duration};
use tokio::time::timeout;

/// How an API writes the events of an answer.
pub(crate) trait Frames: Send + 'static {
    /// The type of the body.
    const TYPE: &'static str;

    /// What says that it is still there.
    const IDLE: &'static str;

    /// Before the first event.
    fn begin(&mut self) -> String {
        String::new()
    }

    /// An event of one of the answers.
    fn event(&mut self, index: usize, event: Event) -> String;

    /// When it fails in the middle.
    fn failed(&mut self, refusal: &Refusal) -> String;

    /// After the end of all answers.
    fn finish(&mut self) -> String {
        String::new()
    }
}

pub(crate) const EVENTS: &str = "text/event-stream; charset=utf-8";
pub(crate) const LINES: &str = "application/x-ndjson";

/// How long a client hears nothing before it is told that something is still being done.
const QUIET: Duration = Duration::from_secs(10);

/// How many events go out together if they are there at once.
const TOGETHER: usize = 16;

type Events = Pin<Box<dyn Stream<Item = Vec<(usize, Result<Event, Refusal>)>> + Send>>;

enum State<F> {
    Begin(Events, F),
    Going(Events, F),
    Over,
}

/// The response that sends answers as they come.
pub(crate) fn respond<F: Frames>(answers: Answers, frames: F) -> Response {
    let events: Events = Box::pin(answers.events().ready_chunks(TOGETHER));
    let pieces = stream::unfold(State::Begin(events, frames), async |state| {
        let (text, state) = match state {
            State::Begin(events, mut frames) => (frames.begin(), State::Going(events, frames)),
            State::Going(events, frames) => go_on(events, frames).await,
            State::Over => return None,
        };
        Some((Ok::<Bytes, Infallible>(text.into()), state))
    });
    let pieces = pieces.filter(|piece| {
        // An empty piece would end the body.
        let some = piece.as_ref().is_ok_and(|bytes| !bytes.is_empty());
        async move { some }
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(F::TYPE)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // For proxies that would collect it.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(pieces)).into_response()
}

async fn go_on<F: Frames>(mut events: Events, mut frames: F) -> (String, State<F>) {
    let some = match timeout(QUIET, events.next()).await {
        Err(_) => return (F::IDLE.to_owned(), State::Going(events, frames)),
        Ok(None) => return (frames.finish(), State::Over),
        Ok(Some(some)) => some,
    };
    let mut text = String::new();
    for (index, event) in some {
        match event {
            Ok(event) => text += &frames.event(index, event),
            Err(refusal) => {
                text += &frames.failed(&refusal);
                return (text, State::Over);
            }
        }
    }
    (text, State::Going(events, frames))
}

/// A server-sent event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A server-sent event with a name.
pub(crate) fn named(name: &str, value: &Value) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "event: {name}\ndata: {value}\n\n");
    text
}

/// A line.
pub(crate) fn line(value: &Value) -> String {
    format!("{value}\n")
}
