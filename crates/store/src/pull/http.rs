//! HTTPS requests: redirects followed by hand, since what the hub says of a file stands in the
//! first answer, and statuses that people can do something about.

use crate::{Error, Result, digest::is_sha256};
use std::{io::Read, sync::Once, time::Duration};
use ureq::{
    Agent,
    http::{Response, Uri},
    tls::{RootCerts, TlsConfig},
};

/// Connecting, and waiting for an answer, may take this long. Who waits usually gives up earlier.
const ANSWER: Duration = Duration::from_secs(60);

/// One answer may take this long; what has come until then is kept and the rest asked for anew. It
/// ends threads whose server neither sends nor closes.
const BODY: Duration = Duration::from_secs(3600);

/// More redirects than this lead nowhere.
const MOST_REDIRECTS: usize = 10;

/// Longer headers are no answer of a sane server.
const LONGEST_HEADERS: usize = 1 << 16;

/// What a server said of a file.
#[derive(Debug)]
pub(super) struct Head {
    /// 200, 206 or 416.
    pub(super) status: u16,
    /// The size of the whole file.
    pub(super) size: Option<u64>,
    /// The first byte that follows.
    pub(super) start: u64,
    /// What tells this version of the file from others.
    pub(super) version: Option<String>,
    /// The SHA-256 of the file, in hexadecimal.
    pub(super) sha256: Option<String>,
    pub(super) content_type: Option<String>,
}

/// Whoever asks.
#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    /// Sent to the host that is asked first, never to those it leads to.
    token: Option<String>,
}

impl Client {
    pub(super) fn new(token: Option<String>) -> Client {
        static PROVIDER: Once = Once::new();
        // An error means there is one already, which is as good.
        PROVIDER.call_once(|| _ = rustls::crypto::ring::default_provider().install_default());
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .user_agent(concat!("bessemer/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(ANSWER))
            .timeout_recv_response(Some(ANSWER))
            .timeout_recv_body(Some(BODY))
            .max_response_header_size(LONGEST_HEADERS)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .build();
        Client { agent: config.new_agent(), token }
    }

    /// Asks for a file from byte `start` on.
    pub(super) fn get(&self, url: &str, start: u64) -> Result<(Head, impl Read + use<>)> {
        let mut here = url.to_owned();
        let (mut size, mut version, mut sha256) = (None, None, None);
        for hop in 0..=MOST_REDIRECTS {
            let response = self.ask(&here, start, hop == 0)?;
            let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.trim());
            // The hub names the file's own size and hash before it leads to where the bytes are.
            size = size.or(header("x-linked-size").and_then(|size| size.parse().ok()));
            let linked = header("x-linked-etag").map(unquoted);
            sha256 = sha256.or(linked.filter(|etag| is_sha256(etag)).map(str::to_lowercase));
            version = version.or(linked.or(header("etag").map(unquoted)).map(str::to_owned));
            let status = response.status().as_u16();
            if let 301 | 302 | 303 | 307 | 308 = status {
                here = follow(&here, header("location"))?;
                continue;
            }
            if !matches!(status, 200 | 206 | 416) {
                return Err(refused(url, status));
            }
            let ranged = header("content-range").and_then(content_range);
            let (start, whole) = match ranged {
                Some((start, whole)) => (start, whole),
                None => (0, header("content-length").and_then(|length| length.parse().ok())),
            };
            if let (Some(said), Some(found), true) = (size, whole, status != 416)
                && said != found
            {
                let why = format!("the server announced {said} bytes and then {found}");
                return Err(Error::Wrong { what: url.to_owned(), why });
            }
            size = size.or(whole);
            let content_type = header("content-type").map(str::to_owned);
            let head = Head { status, size, start, version, sha256, content_type };
            return Ok((head, response.into_body().into_reader()));
        }
        Err(bad_answer(url, format!("the server redirects more than {MOST_REDIRECTS} times")))
    }

    fn ask(&self, url: &str, start: u64, first: bool) -> Result<Response<ureq::Body>> {
        let mut request = self.agent.get(url).header("accept-encoding", "identity");
        if start > 0 {
            request = request.header("range", format!("bytes={start}-"));
        }
        if let Some(token) = self.token.as_ref().filter(|_| first) {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.call().map_err(|error| {
            use ureq::Error as E;
            match error {
                E::Io(_) | E::Timeout(_) | E::HostNotFound | E::ConnectionFailed => {
                    network(url, error.to_string())
                }
                E::LargeResponseHeader(..) => {
                    let why =
                        format!("the headers of the answer have more than {LONGEST_HEADERS} bytes");
                    bad_answer(url, why)
                }
                other => bad_answer(url, format!("the answer cannot be read: {other}")),
            }
        })
    }
}

/// A server that can't be reached, or was lost.
pub(super) fn network(url: &str, why: String) -> Error {
    Error::Network { url: url.to_owned(), why }
}

/// An answer that trying again would not better.
pub(super) fn bad_answer(url: &str, why: String) -> Error {
    Error::BadAnswer { url: url.to_owned(), why }
}

fn refused(url: &str, status: u16) -> Error {
    let remedy = match status {
        401 | 403 => {
            "the repository is missing, private or gated: check the name, accept its terms on its page \
             and set HF_TOKEN to your token"
        }
        404 => "there is no such file or repository: check the name, including capitals",
        429 => "there were too many requests: wait a while and pull again",
        500.. => "the server has a problem: pull again later",
        _ => "bessemer does not know this status: check the address",
    };
    Error::Refused { url: url.to_owned(), status, remedy }
}

/// Where a redirect leads.
fn follow(from: &str, to: Option<&str>) -> Result<String> {
    let to = to.ok_or_else(|| bad_answer(from, "the server redirects to nowhere".to_owned()))?;
    if from.starts_with("https://") && to.starts_with("http://") {
        let why = format!("the server redirects to {to}, which is not encrypted");
        return Err(bad_answer(from, why));
    }
    if to.starts_with("http://") || to.starts_with("https://") {
        return Ok(to.to_owned());
    }
    let base = from.parse::<Uri>().unwrap_or_default();
    match (base.scheme_str(), base.authority(), to.starts_with('/')) {
        (Some(scheme), Some(host), true) => Ok(format!("{scheme}://{host}{to}")),
        _ => Err(bad_answer(
            from,
            format!("the server redirects to \"{to}\", which is no web address"),
        )),
    }
}

/// The start and the whole of `bytes 10-99/100`, or the whole of `bytes */100`.
fn content_range(header: &str) -> Option<(u64, Option<u64>)> {
    let (range, whole) = header.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-').map_or(Some(0), |(start, _)| start.parse().ok())?;
    Some((start, whole.parse().ok()))
}

fn unquoted(etag: &str) -> &str {
    etag.strip_prefix("W/").unwrap_or(etag).trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        assert_eq!(content_range("bytes 10-99/100"), Some((10, Some(100))));
        assert_eq!(content_range("bytes */100"), Some((0, Some(100))));
        assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(content_range("lines 1-2/3"), None);
        assert_eq!(unquoted("W/\"ab\""), "ab");
        assert!(is_sha256(&"0f".repeat(32)) && !is_sha256("0f"));
    }

    #[test]
    fn redirects_lead_within_a_host_or_to_another() {
        let from = "https://a.example:81/x/y?z";
        assert_eq!(follow(from, Some("/b?c")).unwrap(), "https://a.example:81/b?c");
        assert_eq!(follow(from, Some("https://c/d")).unwrap(), "https://c/d");
        assert_eq!(follow("http://a/b", Some("http://c/d")).unwrap(), "http://c/d");
        let error = follow(from, Some("http://c/d")).unwrap_err().to_string();
        assert!(error.contains("http://c/d, which is not encrypted"), "{error}");
        assert!(follow(from, Some("file:///etc/passwd")).is_err());
        assert!(follow(from, None).is_err());
    }
}
