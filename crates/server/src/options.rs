//! How a server is run.

use crate::keys::Keys;
use std::{net::IpAddr, path::PathBuf, time::Duration};

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port to listen on; 0 is any that is free.
    pub port: u16,
    /// Who may ask; without keys, everybody who can reach it.
    pub keys: Keys,
    /// A certificate and its key, in PEM files, for HTTPS.
    pub tls: Option<Tls>,
    /// The origins of pages that may ask, or `*`.
    pub cors: Vec<String>,
    /// Limits on what clients may send and how slowly.
    pub limits: Limits,
    /// Whether the chat page is served.
    pub page: bool,
    /// How long requests in progress may go on after the server was told to end.
    pub drain: Duration,
}

/// The files of a certificate.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The chain, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

/// Limits on clients.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to come.
    pub body_time: Duration,
    /// How long the headers of a request may take to come, the first as well as the next on a
    /// connection that is kept.
    pub header_time: Duration,
    /// How long a client may take none of an answer.
    pub write_time: Duration,
    /// The most headers of a request.
    pub headers: usize,
    /// The most bytes of headers.
    pub header_bytes: usize,
    /// The most connections at once.
    pub connections: usize,
    /// The most tokens of one answer.
    pub answer_tokens: usize,
    /// The most answers that one request can ask for: `n`, times the prompts of a list.
    pub answers: usize,
    /// The most texts of an embeddings request.
    pub texts: usize,
    /// The most bytes of a JSON schema, grammar or regular expression.
    pub grammar_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            host: IpAddr::from([127, 0, 0, 1]),
            port: 8080,
            keys: Keys::default(),
            tls: None,
            cors: Vec::new(),
            limits: Limits::default(),
            page: true,
            drain: Duration::from_secs(30),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 16 << 20,
            body_time: Duration::from_secs(30),
            header_time: Duration::from_secs(20),
            write_time: Duration::from_secs(60),
            headers: 100,
            header_bytes: 32 << 10,
            connections: 4096,
            answer_tokens: 1 << 20,
            answers: 64,
            texts: 2048,
            grammar_bytes: 256 << 10,
        }
    }
}
