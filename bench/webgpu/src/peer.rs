//! A process that answers lines with lines.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The process; it ends when this is dropped.
pub(crate) struct Peer {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    process: Child,
}

impl Peer {
    fn start(mut command: Command) -> Result<Peer> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let answers = BufReader::new(process.stdout.take().expect("it was piped"));
        Ok(Peer { requests: process.stdin.take(), answers, process })
    }

    /// llama.cpp with all of its layers on the first adapter, and its version.
    pub(crate) fn llama(python: &Path) -> Result<(Peer, String)> {
        let mut command = Command::new(python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/llama_peer.py"));
        // It leaves adapters in software alone unless they are named.
        command.env("GGML_VK_VISIBLE_DEVICES", "0");
        let mut peer = Peer::start(command)?;
        let hello: Value = serde_json::from_str(&peer.listen()?)?;
        let version = hello["version"].as_str().context("it says no version")?.to_owned();
        Ok((peer, version))
    }

    /// burn, which multiplies matrices.
    pub(crate) fn burn(program: &Path) -> Result<Peer> {
        Peer::start(Command::new(program))
    }

    /// Seconds that a request to llama.cpp took.
    pub(crate) fn seconds(&mut self, request: &str, arguments: Value) -> Result<f64> {
        let answer = self.ask(&json!({ request: arguments }).to_string())?;
        let answer: Value = serde_json::from_str(&answer)?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{request}: {error}");
        }
        answer["seconds"].as_f64().with_context(|| format!("no seconds in {answer}"))
    }

    /// Asks one line and waits for the next.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String> {
        writeln!(self.requests.as_mut().expect("open until dropped"), "{line}")?;
        self.listen()
    }

    fn listen(&mut self) -> Result<String> {
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            bail!("the process ended");
        }
        Ok(answer.trim().to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is the end of it.
        self.requests = None;
        let _ = self.process.wait();
    }
}
