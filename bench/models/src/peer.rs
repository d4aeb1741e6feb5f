//! A process with a model, told over a pipe what to do: bessemer or llama.cpp.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Ours: this program again, with `--answer`.
    Bessemer,
    /// llama.cpp, through llama-cpp-python.
    Llama,
}

/// The process; it ends when this is dropped.
pub struct Peer {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    process: Child,
    /// What it is.
    pub version: String,
    /// What it took before any model was there.
    empty_bytes: f64,
}

impl Peer {
    /// Starts one side. `python` is one that has llama-cpp-python.
    pub fn start(side: Side, python: &Path) -> Result<Peer> {
        let mut command = match side {
            Side::Bessemer => Command::new(env::current_exe()?),
            Side::Llama => Command::new(python),
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("llama_peer.py");
        match side {
            Side::Bessemer => command.arg("--answer"),
            Side::Llama => command.arg(script),
        };
        let mut peer = Peer::run(command)?;
        peer.empty_bytes = peer.number("peak_memory", json!({}), "bytes")?;
        Ok(peer)
    }

    /// Starts any other program that says its version and then answers requests.
    pub fn run(mut command: Command) -> Result<Peer> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let answers = BufReader::new(process.stdout.take().expect("it was piped"));
        let requests = process.stdin.take();
        let version = command.get_program().to_string_lossy().into_owned();
        let mut peer = Peer { requests, answers, process, version, empty_bytes: 0.0 };
        let hello = peer.answer()?;
        peer.version = hello["version"].as_str().context("it says no version")?.to_owned();
        Ok(peer)
    }

    /// Asks for one thing and waits for the answer.
    pub fn ask(&mut self, name: &str, arguments: Value) -> Result<Value> {
        let requests = self.requests.as_mut().expect("open until dropped");
        writeln!(requests, "{}", json!({ name: arguments })).context("asking")?;
        let answer = self.answer()?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{} to {name}: {error}", self.version);
        }
        Ok(answer)
    }

    fn answer(&mut self) -> Result<Value> {
        let mut answer = String::new();
        if self.answers.read_line(&mut answer).context("listening")? == 0 {
            bail!("the process of {} ended", self.version);
        }
        serde_json::from_str(&answer).with_context(|| format!("{} said {answer:?}", self.version))
    }

    /// A number of the answer.
    pub fn number(&mut self, name: &str, arguments: Value, field: &str) -> Result<f64> {
        let answer = self.ask(name, arguments)?;
        answer[field].as_f64().with_context(|| format!("no {field} in {answer}"))
    }

    /// Numbers of the answer.
    pub fn numbers(&mut self, name: &str, arguments: Value, field: &str) -> Result<Vec<f64>> {
        let answer = self.ask(name, arguments)?;
        let numbers = answer[field].as_array().with_context(|| format!("no {field}"))?;
        numbers.iter().map(|n| n.as_f64().context("not a number")).collect()
    }

    /// Loads a model; seconds.
    pub fn open(&mut self, file: &Path, context: usize, threads: usize) -> Result<f64> {
        let arguments = json!({ "file": file, "context": context, "threads": threads });
        self.number("open", arguments, "seconds")
    }

    /// Seconds for a prompt.
    pub fn prefill(&mut self, tokens: &[u32]) -> Result<f64> {
        self.number("prefill", json!({ "tokens": tokens }), "seconds")
    }

    /// Seconds per token after it.
    pub fn decode(&mut self, count: usize) -> Result<f64> {
        Ok(self.number("decode", json!({ "count": count }), "seconds")? / count as f64)
    }

    /// The memory it takes now, all of it.
    pub fn memory(&mut self) -> Result<f64> {
        self.number("memory", json!({}), "bytes")
    }

    /// The most memory it has taken, less what it took before there was a model.
    pub fn peak_memory(&mut self) -> Result<f64> {
        Ok(self.number("peak_memory", json!({}), "bytes")? - self.empty_bytes)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is the end of it.
        self.requests = None;
        let _ = self.process.wait();
    }
}
