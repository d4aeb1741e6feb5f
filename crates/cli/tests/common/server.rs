//! A small hub: an HTTP server on this machine that misbehaves as told.
#![allow(unreachable_pub)]

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// How the server behaves.
#[derive(Clone, Default)]
pub struct Manners {
    /// The file it offers.
    pub file: Vec<u8>,
    /// Closes each connection after so many bytes of the file.
    pub cut_after: Option<usize>,
    /// Has no ranges.
    pub no_ranges: bool,
    /// The size it announces for the hub's own header, instead of the true one.
    pub linked_size: Option<usize>,
    /// The `x-linked-etag` it sends.
    pub linked_etag: Option<String>,
    /// Announces this length of what follows.
    pub content_length: Option<usize>,
    /// Answers with this status and nothing else.
    pub status: Option<u16>,
    /// Leads to another path first, as the hub does.
    pub redirect: bool,
}

/// A server that runs until the test ends.
pub struct Server {
    pub url: String,
    pub requests: Arc<AtomicUsize>,
    /// The request lines and `range` headers that came.
    pub seen: Arc<Mutex<Vec<String>>>,
    manners: Arc<Mutex<Manners>>,
}

impl Server {
    pub fn start(manners: Manners) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Server {
            url,
            requests: Arc::default(),
            seen: Arc::default(),
            manners: Arc::new(Mutex::new(manners)),
        };
        let (requests, seen) = (Arc::clone(&server.requests), Arc::clone(&server.seen));
        let manners = Arc::clone(&server.manners);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                requests.fetch_add(1, Ordering::Relaxed);
                let manners = manners.lock().unwrap().clone();
                // Whoever asked may be gone: no matter.
                let _ = answer(stream, &manners, &seen);
            }
        });
        server
    }

    /// Behaves otherwise from now on.
    pub fn become_like(&self, manners: Manners) {
        *self.manners.lock().unwrap() = manners;
    }
}

fn answer(
    mut stream: TcpStream,
    manners: &Manners,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let (mut start, mut header) = (0, String::new());
    loop {
        header.clear();
        reader.read_line(&mut header)?;
        let line = header.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            start = range.trim_end_matches('-').parse().unwrap_or(0);
        }
        if line.starts_with("range:") || line.starts_with("authorization:") {
            seen.lock().unwrap().push(header.trim().to_owned());
        }
    }
    seen.lock().unwrap().push(request.trim().to_owned());
    let mut linked = String::new();
    if let Some(etag) = &manners.linked_etag {
        let size = manners.linked_size.unwrap_or(manners.file.len());
        linked = format!("x-linked-etag: \"{etag}\"\r\nx-linked-size: {size}\r\n");
    }
    if let Some(status) = manners.status {
        return write!(
            stream,
            "HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
    }
    if manners.redirect && !request.contains("/cdn/") {
        return write!(
            stream,
            "HTTP/1.1 302 Found\r\nlocation: /cdn/file\r\n{linked}content-length: 0\r\n\
             connection: close\r\n\r\n"
        );
    }
    let start = if manners.no_ranges { 0 } else { start };
    let body = manners.file.get(start..).unwrap_or_default();
    let length = manners.content_length.unwrap_or(body.len());
    let all = manners.file.len();
    let (status, range) = match start {
        0 => ("200 OK", String::new()),
        _ => ("206 Partial", format!("content-range: bytes {start}-{}/{all}\r\n", all - 1)),
    };
    let linked = if manners.redirect { "" } else { &linked };
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{linked}{range}content-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    let sent = manners.cut_after.unwrap_or(body.len()).min(body.len());
    stream.write_all(&body[..sent])
}
