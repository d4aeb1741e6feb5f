//! A server with tiny models on a socket of its own, and a client that is nothing but HTTP.

#![allow(dead_code, reason = "each test takes what it needs")]

use bessemer_core::Device;
use bessemer_llm::{Llm, tiny::Tiny};
use bessemer_server::{Catalogue, Listing, ModelOptions, Options, Server};
use serde_json::Value;
use std::{
    collections::HashMap,
    error::Error,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};
use tokio::sync::oneshot;

/// Tiny models: `tiny`, then `other` with other weights.
pub(crate) struct Shelf {
    device: Arc<dyn Device>,
    pub(crate) opened: Mutex<Vec<String>>,
}

impl Shelf {
    pub(crate) fn new() -> Arc<Shelf> {
        let device = bessemer_cpu::Cpu::open(Default::default()).expect("a CPU");
        Arc::new(Shelf { device: Arc::new(device), opened: Mutex::default() })
    }
}

impl Catalogue for Shelf {
    fn list(&self) -> Vec<Listing> {
        let listing = |name: &str| Listing {
            name: name.to_owned(),
            bytes: 1 << 20,
            since: SystemTime::UNIX_EPOCH,
        };
        ["tiny", "other", "broken"].map(listing).into()
    }

    fn open(&self, name: &str) -> Result<Llm, Box<dyn Error + Send + Sync>> {
        self.opened.lock().unwrap().push(name.to_owned());
        if name == "broken" {
            return Err("/secret/path/broken.gguf: it is broken".into());
        }
        let seed = if name == "tiny" { 1 } else { 2 };
        let bytes = Tiny { seed, context: 4096, ..Tiny::default() }.gguf(|_, _| {});
        Ok(Llm::from_bytes(bytes, &self.device)?)
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) shelf: Arc<Shelf>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) fn run() -> Running {
    run_with(|_, _| {})
}

pub(crate) fn run_with(change: impl FnOnce(&mut Options, &mut ModelOptions)) -> Running {
    let mut options = Options { port: 0, ..Options::default() };
    options.limits.header_time = Duration::from_secs(2);
    options.limits.body_time = Duration::from_secs(2);
    let mut models = ModelOptions::default();
    models.engine.pages = Some(512);
    models.engine.most_running = 8;
    change(&mut options, &mut models);
    let shelf = Shelf::new();
    let theirs = Arc::clone(&shelf);
    let (send, receive) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let server = Server::bind(options, theirs, models).await.expect("a server");
            send.send(server.address()).expect("somebody who waits");
            let end = async { drop(stopped.await) };
            server.run(end).await.expect("a good end");
        });
    });
    let address = receive.recv().expect("an address");
    Running { address, shelf, stop: Some(stop), thread: Some(thread) }
}

impl Running {
    /// Tells it to end.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until it has ended.
    pub(crate) fn ended(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit");
        stream
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut stream = self.connect();
        send(&mut stream, method, path, headers, body);
        read(stream)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Reply {
        let json = [("content-type", "application/json")];
        self.ask("POST", path, &json, body.to_string().as_bytes())
    }

    /// A number of `/metrics`, summed over its labels.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text();
        let lines = text.lines().filter(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
        });
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        if !thread::panicking() {
            self.ended();
        }
    }
}

pub(crate) fn send(
    stream: &mut impl Write,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += "host: localhost\r\n";
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() || method == "POST" {
        head += &format!("content-length: {}\r\n", body.len());
    }
    // A server that refuses may close before it has read all.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    let _ = stream.write_all(body);
}

/// What a server answers.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn read(mut stream: impl Read) -> Reply {
    let mut all = Vec::new();
    // One that has refused a body resets the connection after its answer.
    let _ = stream.read_to_end(&mut all);
    let at = all.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer with headers");
    let head = String::from_utf8(all[..at].to_vec()).expect("headers of text");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let status = status.parse().expect("a number");
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let rest = &all[at + 4..];
    let chunked = headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked");
    let body = if chunked { unchunk(rest) } else { rest.to_vec() };
    Reply { status, headers, body }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size in hexadecimal");
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[at + 4 + size..];
    }
    body
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The JSON of an answer that is to be good.
    pub(crate) fn good(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }

    /// The data of server-sent events, without the mark at their end.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.text());
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let data = data.filter(|data| *data != "[DONE]");
        data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
    }

    /// Lines of JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.text());
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}
