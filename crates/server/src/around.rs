//! Around every request: its id and log line, who asks, from where, and the form of errors.

use crate::{Api, App, Kind, Refusal, ask, ask::Client};
use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use std::{
    hash::{BuildHasher, RandomState},
    net::SocketAddr,
    panic::AssertUnwindSafe,
    time::Instant,
};
use tracing::Instrument;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

impl IntoResponse for Refusal {
    /// [`around`] gives it the form of the API.
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The address of the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

pub(crate) async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let api = Api::of(request.uri().path());
    let id = request_id(request.headers());
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let path = path.unwrap_or_else(|| "other".to_owned());
    let method = request.method().clone();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip().to_string());
    let address = peer.unwrap_or_default();
    let span =
        tracing::info_span!("request", id = id, method = %method, path = path, from = address);
    let allowed = origin.as_ref().filter(|origin| is_allowed(&app, origin)).cloned();
    let mut response = match check(&app, &request, &path, address, allowed.is_some()) {
        Err(refusal) => refusal.into_response(),
        Ok(_) if is_preflight(&request) && allowed.is_some() => preflight(request.headers()),
        Ok(client) => {
            request.extensions_mut().insert(client);
            let inner = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone());
            // A mistake of ours costs this request and no other.
            inner.await.unwrap_or_else(|_| Refusal::internal("a handler panicked").into_response())
        }
    };
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        let allow = response.headers().get(header::ALLOW).cloned();
        app.metrics.refusal(refusal.kind.name());
        span.in_scope(|| tracing::debug!(kind = refusal.kind.name(), why = %refusal, "refused"));
        response = api.refuse(&refusal);
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    let status = response.status().as_u16();
    app.metrics.request(&path, status);
    let ms = started.elapsed().as_secs_f64() * 1e3;
    span.in_scope(|| tracing::info!(status, ms, "answered"));
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = allowed {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        let seen = HeaderValue::from_static("x-request-id, retry-after");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, seen);
    }
    response
}

/// Who asks, if they may.
fn check(
    app: &App,
    request: &Request,
    path: &str,
    address: String,
    allowed: bool,
) -> Result<Client, Refusal> {
    let headers = request.headers();
    check_host(app, headers, request.uri())?;
    if let Some(origin) = headers.get(header::ORIGIN)
        && !allowed
        && request.method() != Method::GET
        && !is_same(origin, headers)
    {
        let why = "this origin may not ask; allow it with --cors";
        return Err(Refusal::new(Kind::Forbidden, format!("origin: {why}")));
    }
    let is_open = is_open(path) || is_preflight(request);
    if app.is_draining() && !is_open {
        return Err(ask::draining());
    }
    let key = if is_open { None } else { app.options.keys.check(headers)? };
    Ok(Client { key, address })
}

/// What needs no key: whether the server is there, what is asked before there is a key, and the page,
/// which asks for the key.
fn is_open(path: &str) -> bool {
    matches!(path, "/health" | "/ready" | "/" | "/page/{*file}" | "/favicon.ico" | "/openapi.json")
}

/// A server that only this machine can reach is asked by names of this machine. Any other name belongs to
/// a page elsewhere that has made it point here.
fn check_host(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), Refusal> {
    if !app.options.host.is_loopback() || !app.options.keys.is_empty() {
        return Ok(());
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(uri.host());
    let Some(host) = host else { return Ok(()) };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    let is_address = name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    if is_address || name.eq_ignore_ascii_case("localhost") || name.ends_with(".localhost") {
        return Ok(());
    }
    let why = "this server only answers to localhost; start it with --host or --api-key for others";
    Err(Refusal::new(Kind::Forbidden, format!("host: {why}")))
}

fn is_allowed(app: &App, origin: &HeaderValue) -> bool {
    app.options.cors.iter().any(|allowed| allowed == "*" || allowed.as_bytes() == origin.as_bytes())
}

/// Whether a page comes from this server itself.
fn is_same(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == headers.get(header::HOST).and_then(|host| host.to_str().ok())
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight(asked: &HeaderMap) -> Response {
    let mut response = (StatusCode::NO_CONTENT, Body::empty()).into_response();
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    if let Some(wanted) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// The client's own, if it is one word, or a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_word = |id: &&str| {
        (1..=128).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    given.filter(is_word).map_or_else(|| new_id("req"), str::to_owned)
}

/// A name that nothing else has.
pub(crate) fn new_id(kind: &str) -> String {
    let random = || RandomState::new().hash_one(Instant::now());
    format!("{kind}-{:016x}{:016x}", random(), random())
}
