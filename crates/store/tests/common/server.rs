//! A small hub: an HTTP server on this machine that misbehaves as told. Tests of the command include this
//! file by its path.
#![allow(dead_code, unreachable_pub)]

use std::{
    io::{BufRead, BufReader, Read, Write},
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
    /// Sends nothing more after so many bytes of the file, and keeps the connection open.
    pub stall_after: Option<usize>,
    /// Inverts the bytes of the file from this one on.
    pub garble_after: Option<usize>,
    /// Cuts, stalls and garbles only so many times.
    pub times: Option<usize>,
    /// Has no ranges.
    pub no_ranges: bool,
    /// Claims to start so many bytes later than it was asked for.
    pub range_shift: usize,
    /// The size it announces for the hub's own header, instead of the true one.
    pub linked_size: Option<usize>,
    /// The `x-linked-etag` it sends.
    pub linked_etag: Option<String>,
    /// Announces this length of what follows.
    pub content_length: Option<usize>,
    /// Announces no length.
    pub no_length: bool,
    pub content_type: Option<String>,
    /// Headers to add as they are.
    pub headers: String,
    /// Answers with this status and nothing else.
    pub status: Option<u16>,
    /// Leads to another path first, as the hub does.
    pub redirect: bool,
    /// Always leads to this place.
    pub redirect_to: Option<String>,
    /// What it says of a repository.
    pub list: String,
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
                let (seen, manners) = (Arc::clone(&seen), Arc::clone(&manners));
                // Whoever asked may be gone: no matter.
                thread::spawn(move || _ = answer(stream, &manners, &seen));
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
    manners: &Mutex<Manners>,
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
    let now = manners.lock().unwrap().clone();
    let mut linked = String::new();
    if let Some(etag) = &now.linked_etag {
        let size = now.linked_size.unwrap_or(now.file.len());
        linked = format!("x-linked-etag: \"{etag}\"\r\nx-linked-size: {size}\r\n");
    }
    if let Some(status) = now.status {
        return write!(
            stream,
            "HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
    }
    if request.contains("/api/models/") {
        let (length, list) = (now.list.len(), &now.list);
        return write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{list}"
        );
    }
    let place = match &now.redirect_to {
        None => (now.redirect && !request.contains("/cdn/")).then_some("/cdn/file"),
        place => place.as_deref(),
    };
    if let Some(place) = place {
        return write!(
            stream,
            "HTTP/1.1 302 Found\r\nlocation: {place}\r\n{linked}content-length: 0\r\n\
             connection: close\r\n\r\n"
        );
    }
    let start = if now.no_ranges { 0 } else { start };
    let mut file = now.file.clone();
    let all = file.len();
    let misbehaves = now.times != Some(0);
    if let Some(times) = &mut manners.lock().unwrap().times {
        *times = times.saturating_sub(1);
    }
    if let Some(from) = now.garble_after.filter(|_| misbehaves) {
        file.iter_mut().skip(from).for_each(|byte| *byte = !*byte);
    }
    let body = file.get(start..).unwrap_or_default();
    let length = now.content_length.unwrap_or(body.len());
    let length = match now.no_length {
        true => String::new(),
        false => format!("content-length: {length}\r\n"),
    };
    let from = start + now.range_shift;
    let (status, range) = match start {
        0 => ("200 OK", String::new()),
        _ if start >= all => ("416 No", format!("content-range: bytes */{all}\r\n")),
        _ => ("206 Partial", format!("content-range: bytes {from}-{}/{all}\r\n", all - 1)),
    };
    let linked = if now.redirect { "" } else { &linked };
    let kind = now.content_type.map_or(String::new(), |kind| format!("content-type: {kind}\r\n"));
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{linked}{range}{kind}{length}{}connection: close\r\n\r\n",
        now.headers
    )?;
    let stall = now.stall_after.filter(|_| misbehaves);
    let sent = now.cut_after.filter(|_| misbehaves).or(stall).unwrap_or(body.len());
    stream.write_all(&body[..sent.min(body.len())])?;
    if stall.is_some() {
        // Until the other side has had enough.
        stream.flush()?;
        stream.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}
