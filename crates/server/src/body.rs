//! Bodies of requests: read within limits, as JSON whose errors name the field.

use crate::{App, Kind, Refusal};
use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};
use std::time::Duration;
use tokio::time::timeout;

/// The whole of a body, unless it is too large or too slow.
pub(crate) async fn read(app: &App, mut body: Body) -> Result<Bytes, Refusal> {
    let limits = &app.options.limits;
    let most = limits.body_bytes;
    match timeout(limits.body_time, collect(&mut body, most)).await {
        Err(_) => Err(Refusal::new(
            Kind::Timeout,
            format!("body: not complete after {} seconds", limits.body_time.as_secs()),
        )),
        Ok(Err(_)) => Err(Refusal::new(Kind::Invalid, "body: it ended too soon")),
        Ok(Ok(Some(whole))) => Ok(whole),
        Ok(Ok(None)) => {
            // A client that is still sending would not hear why it is refused.
            let rest = collect(&mut body, 0);
            let _ = timeout(DISCARD, rest).await;
            let message = format!("body: larger than the limit of {most} bytes");
            Err(Refusal::new(Kind::TooLarge, message))
        }
    }
}

/// How long the rest of a body that is too large is read.
const DISCARD: Duration = Duration::from_secs(1);

/// The bytes of a body; `None` once there are more than `most`. With 0, reads to the end and keeps nothing.
async fn collect(body: &mut Body, most: usize) -> Result<Option<Bytes>, axum::Error> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if most == 0 {
            continue;
        }
        if whole.len() + data.len() > most {
            return Ok(None);
        }
        whole.extend_from_slice(&data);
    }
    Ok(Some(whole.freeze()))
}

/// A body of JSON.
pub(crate) async fn json<T: DeserializeOwned>(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Refusal> {
    check_type(headers)?;
    parse(&read(app, body).await?)
}

/// Clients that say nothing mean JSON, and so do forms: `curl -d` says it is one.
fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let kind = kind.to_str().unwrap_or("").split(';').next().unwrap_or("").trim();
    let known = ["", "application/json", "application/x-www-form-urlencoded"];
    // Pages of other sites can send `text/plain` without asking, so that is no JSON.
    if known.iter().any(|known| kind.eq_ignore_ascii_case(known)) || kind.ends_with("+json") {
        return Ok(());
    }
    let message = format!("content-type {kind}: not supported; send application/json");
    Err(Refusal::new(Kind::MediaType, message))
}

/// JSON to what it is to be. How deep it nests is limited by the parser, to 128.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        let field = field_of(error.path());
        refused(field, &error.into_inner())
    })?;
    parser.end().map_err(|error| refused(String::new(), &error))?;
    Ok(value)
}

fn refused(field: String, error: &serde_json::Error) -> Refusal {
    if !error.is_data() {
        return Refusal::new(Kind::Invalid, format!("body: not JSON: {error}"));
    }
    // Where in the bytes it is helps nobody who has the field.
    let why = error.to_string();
    let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
    // A field that is missing is named by the message itself.
    let missing = why.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    match (missing, field.as_str()) {
        (Some(name), "") => Refusal::field(name, "missing"),
        (Some(name), field) => Refusal::field(format!("{field}.{name}"), "missing"),
        (None, "") => Refusal::new(Kind::Invalid, format!("body: {why}")),
        (None, field) => Refusal::field(field, why),
    }
}

fn field_of(path: &Path) -> String {
    let mut field = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => field += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                if !field.is_empty() {
                    field.push('.');
                }
                // Clients choose the keys.
                field.extend(key.chars().take(64));
            }
            Segment::Unknown => {}
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[expect(dead_code, reason = "only parsed")]
        content: String,
    }

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[expect(dead_code, reason = "only parsed")]
        messages: Vec<Inner>,
    }

    fn error(body: &str) -> Refusal {
        parse::<Outer>(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn errors_name_the_field() {
        let refusal = error(r#"{"messages": [{"content": "a"}, {"content": 7}]}"#);
        assert_eq!(refusal.field.as_deref(), Some("messages[1].content"));
        assert!(refusal.message.starts_with("messages[1].content: invalid type"), "{refusal}");
        let refusal = error(r#"{"messages": [{}]}"#);
        assert_eq!(refusal.message, "messages[0].content: missing");
        assert_eq!(error("{}").message, "messages: missing");
        assert_eq!(error("[").field, None);
        assert!(error("\u{1}").message.starts_with("body: not JSON"));
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = "[".repeat(5_000_000);
        let refusal = parse::<serde_json::Value>(deep.as_bytes()).unwrap_err();
        assert!(refusal.message.contains("recursion limit"), "{refusal}");
    }
}
