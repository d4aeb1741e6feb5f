//! NumPy in a process of its own, told over a pipe what to do.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

/// The process; it ends when this is dropped.
pub(crate) struct NumPy {
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    process: Child,
}

impl NumPy {
    /// Starts it with as many threads for its matrix products as we use.
    pub(crate) fn start(python: &Path, threads: usize) -> Result<NumPy> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("numpy_peer.py");
        let mut command = Command::new(python);
        for name in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, threads.to_string());
        }
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process =
            command.spawn().with_context(|| format!("cannot start {}", python.display()))?;
        let answers = BufReader::new(process.stdout.take().expect("it was piped"));
        Ok(NumPy { requests: process.stdin.take(), answers, process })
    }

    /// Which NumPy it is, and which library makes its matrix products.
    pub(crate) fn version(&mut self) -> Result<String> {
        let answer = self.ask(&json!({}))?;
        let field = |name: &str| answer[name].as_str().unwrap_or("unknown").to_owned();
        Ok(format!("NumPy {} with {}", field("numpy"), field("blas")))
    }

    /// Makes operands and a statement ready; returns the magnitude of its result.
    pub(crate) fn prepare(&mut self, setup: &str, statement: &str) -> Result<f64> {
        let answer = self.ask(&json!({ "setup": setup, "statement": statement }))?;
        answer["magnitude"].as_f64().context("no magnitude in the answer of NumPy")
    }

    /// Seconds of the statement, in the fastest chunk of a round.
    pub(crate) fn round(&mut self, length: Duration) -> Result<f64> {
        let answer = self.ask(&json!({ "round": length.as_secs_f64() }))?;
        answer["seconds"].as_f64().context("no seconds in the answer of NumPy")
    }

    fn ask(&mut self, request: &Value) -> Result<Value> {
        let requests = self.requests.as_mut().expect("open until dropped");
        let mut answer = String::new();
        writeln!(requests, "{request}").context("asking NumPy")?;
        if self.answers.read_line(&mut answer).context("listening to NumPy")? == 0 {
            bail!("NumPy's process ended while asked {request}");
        }
        serde_json::from_str(&answer).with_context(|| format!("NumPy answered {answer:?}"))
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        // The end of its input is the end of it.
        self.requests = None;
        let _ = self.process.wait();
    }
}
