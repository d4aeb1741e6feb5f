//! The chat page: files that are compiled in. Nothing of it is loaded from elsewhere, and nothing that a
//! model writes is run: the policy below says so to browsers.

use crate::{Kind, Refusal};
use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::sync::LazyLock;

/// A file of the page.
struct File {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! files {
    ($($name:literal $kind:ident,)*) => {
        &[$(File { name: $name, kind: $kind, bytes: include_bytes!(concat!("../../page/", $name)) },)*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";

static FILES: &[File] = files![
    "index.html" HTML,
    "style.css" CSS,
    "sidebar.css" CSS,
    "messages.css" CSS,
    "panels.css" CSS,
    "icon.svg" SVG,
    "main.js" JS,
    "api.js" JS,
    "chat.js" JS,
    "charts.js" JS,
    "dom.js" JS,
    "markdown.js" JS,
    "messages.js" JS,
    "metrics.js" JS,
    "settings.js" JS,
    "sidebar.js" JS,
    "store.js" JS,
    "tree.js" JS,
    "vendor/marked.js" JS,
    "vendor/purify.js" JS,
    "vendor/highlight.js" JS,
    "vendor/LICENSES.txt" TEXT,
];

/// Scripts, styles and connections of this server only; no plug-ins, no frames, no forms sent away, and
/// no text that becomes HTML without having been cleaned.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types dompurify";

/// Changes with every build that changes the page.
static TAG: LazyLock<String> = LazyLock::new(|| {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    FILES.iter().for_each(|file| hash.update(file.bytes));
    let hash: [u8; 32] = hash.finalize().into();
    let hex: String = hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
});

pub(crate) async fn index(headers: HeaderMap) -> Result<Response, Refusal> {
    send("index.html", &headers)
}

pub(crate) async fn icon(headers: HeaderMap) -> Result<Response, Refusal> {
    send("icon.svg", &headers)
}

pub(crate) async fn file(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    send(&name, &headers)
}

fn send(name: &str, asked: &HeaderMap) -> Result<Response, Refusal> {
    let file = FILES.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| Refusal::new(Kind::NoPage, "the page has no such file"))?;
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == TAG.as_str());
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => file.bytes.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, file.kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&TAG) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}
