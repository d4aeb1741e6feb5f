//! A tiny model with random weights in a folder of its own.
#![allow(dead_code, unreachable_pub)]

use super::common::bessemer;
use bessemer_llm::tiny::Tiny;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// A folder of models with one in it: `tiny`.
pub struct Models(TempDir);

impl Models {
    pub fn new() -> Models {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.gguf"), Tiny::default().gguf(|_, _| {})).unwrap();
        Models(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path as text, for the command line.
    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The command, with this folder of models.
    pub fn command(&self, args: &[&str]) -> Command {
        // One thread and no search for devices, for those that take them: tests run beside each other.
        // Before the other flags: the last of a flag counts.
        let name = if args[0] == "bench" { 2 } else { 1 };
        let (name, flags) = args.split_at(name);
        let mut command = bessemer(name);
        command.args(match args[0] {
            "run" | "chat" | "embed" | "perplexity" | "bench" | "check" | "demo" => {
                &["--device", "cpu", "--threads", "1"][..]
            }
            "convert" | "quantize" | "devices" => &["--threads", "1"],
            _ => &[],
        });
        command.args(flags);
        command.env("BESSEMER_MODELS", self.0.path()).stdin(Stdio::null());
        command
    }

    /// What it prints, if it ends with this exit code.
    pub fn run(&self, args: &[&str], code: i32) -> (String, String) {
        super::common::finish(self.command(args), code)
    }

    /// The same with something on stdin.
    pub fn run_with(&self, args: &[&str], input: &str, code: i32) -> (String, String) {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}\nout: {out}\nerr: {err}");
        assert!(!err.contains("panicked"), "{err}");
        (out, err)
    }

    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.run(args, 0).0).unwrap()
    }
}
