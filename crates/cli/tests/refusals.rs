//! The text of every wrong usage and refusal of the command, with its exit code, as a snapshot. The texts of
//! the system are Linux's.
#![cfg(target_os = "linux")]

mod common;
#[path = "../../core/tests/texts/mod.rs"]
mod texts;
#[path = "common/tiny.rs"]
mod tiny;

use std::{fmt::Write as _, fs, io::Write as _, process::Stdio};
use tiny::Models;

/// Wrong usage that is known before anything runs.
const USAGE: &[&[&str]] = &[
    &["fly"],
    &["--fly"],
    &["--device", "cpu", "run", "x"],
    &["run", "--fly", "x"],
    &["run", "--temprature", "1", "x"],
    &["run", "x", "y"],
    &["run", "x", "--prompt", "y"],
    &["run", "x", "--raw", "--system", "y"],
    &["run", "x", "--special"],
    &["run", "x", "--context", "many"],
    &["run", "x", "--context"],
    &["run", "x", "--cache", "q4_0"],
    &["run", "x", "-n", "-2"],
    &["run", "x", "-n", "1.5"],
    &["run", "x", "--seed", "-2"],
    &["run", "x", "--top-k", "-2"],
    &["run", "x", "--top-p", "half"],
    &["run", "x", "--stop", ""],
    &["run", "x", "--repeat-last-n", "-2"],
    &["run", "x", "--logit-bias", "5"],
    &["run", "x", "--device", "gpu"],
    &["run", "x", "--threads", "0"],
    &["run", "x", "--threads", "5000"],
    &["run", "x", "--lookup=yes"],
    &["chat", "Hello"],
    &["chat", "--raw", "--system", "x"],
    &["models", "--device", "cpu"],
    &["rm"],
    &["rm", "tiny", "--json"],
    &["rm", "tiny", "--threads", "1"],
    &["completions"],
    &["completions", "tcsh"],
    &["completions", "bash", "--trace", "x"],
    &["pull"],
    &["pull", "x", "--precise"],
    &["inspect", "a", "--model", "b"],
    &["inspect", "--context", "-1"],
    &["tokenize", "x", "--mapped"],
    &["embed", "x", "--file", "y"],
    &["perplexity"],
    &["perplexity", "x", "--windows", "few"],
    &["convert", "model.pth"],
    &["convert", "model.pth", "out.gguf", "--type", "q8_0"],
    &["quantize", "tiny"],
    &["devices", "--device", "cpu"],
    &["check", "--markdown", "--json"],
    &["check", "--op"],
    &["check", "--op", "rms_nrom"],
    &["bench"],
    &["bench", "fly"],
    &["bench", "ops", "--op", "rms_nrom"],
    &["bench", "ops", "--seconds", "0"],
    &["bench", "model", "-p", "0"],
    &["bench", "model", "-n", "0"],
    &["bench", "model", "-r", "0"],
    &["demo", "--elements", "some"],
    &["program", "check"],
    &["program", "check", "x.bp", "--device", "cpu"],
];

/// What goes wrong with a model and files. `DIR` stands for the folder of models.
const FAILURES: &[&[&str]] = &[
    &["run", "-m", "tiny", "x", "--temperature", "nan"],
    &["run", "-m", "tiny", "x", "--temperature", "-1"],
    &["run", "-m", "tiny", "x", "--top-p", "1.5"],
    &["run", "-m", "tiny", "x", "--min-p", "2"],
    &["run", "-m", "tiny", "x", "--typical-p", "-1"],
    &["run", "-m", "tiny", "x", "--repeat-penalty", "0"],
    &["run", "-m", "tiny", "x", "--presence-penalty", "inf"],
    &["run", "-m", "tiny", "x", "--frequency-penalty", "nan"],
    &["run", "-m", "tiny", "x", "--mirostat-tau", "-3"],
    &["run", "-m", "tiny", "x", "--mirostat-eta", "2"],
    &["run", "-m", "tiny", "x", "--logit-bias", "99999=1"],
    &["run", "-m", "tiny", "x", "--logit-bias", "5=inf"],
    &["run", "-m", "tiny", "--raw", ""],
    &["run", "-m", "tiny", "--raw", "much too long", "--context", "8"],
    &["run", "-m", "tiny", "x", "--context", "0"],
    &["run", "-m", "tiny", "x", "--context", "4000000000"],
    &["run", "-m", "tiny", "x", "--device", "metal"],
    &["run", "-m", "tiny", "x", "--trace", "DIR/trace.json"],
    &["run", "-m", "plain", "x", "--system", "y"],
    &["run", "-m", "nowhere", "x"],
    &["run", "-m", "tinny", "x"],
    &["run", "-m", "DIR/nowhere.gguf", "x"],
    &["run", "-m", "DIR/text.txt", "x"],
    &["run", "-m", "broken", "x"],
    &["run", "-m", "short", "x"],
    &["chat", "-m", "plain", "--system", "y"],
    &["chat", "-m", "nowhere"],
    &["inspect", "nowhere"],
    &["tokenize", "-m", "tiny", "--decode", "7x"],
    &["tokenize", "-m", "tiny", "--decode", "99999"],
    &["embed", "-m", "tiny", "x", "--similarity"],
    &["embed", "-m", "tiny", "x", ""],
    &["embed", "-m", "tiny", "--file", "DIR/nowhere.txt"],
    &["embed", "-m", "tiny", "much too long", "--context", "8"],
    &["run", "-m", "tiny", "x", "--state", "DIR/nowhere.state"],
    &["run", "-m", "tiny", "x", "--state", "DIR/text.txt"],
    &["run", "-m", "tiny", "x", "--save-state", "DIR/no/x.state"],
    &["chat", "-m", "tiny", "--save-state", "DIR"],
    &["perplexity", "DIR/nowhere.txt", "-m", "tiny"],
    &["perplexity", "DIR", "-m", "tiny"],
    &["perplexity", "DIR/text.txt", "-m", "tiny"],
    &["perplexity", "DIR/text.txt", "-m", "tiny", "--context", "1"],
    &["convert", "DIR/tiny.gguf", "DIR/out.gguf"],
    &["convert", "DIR/nowhere.pth", "DIR/out.gguf"],
    &["convert", "DIR/text.txt", "DIR/out.gguf"],
    &["convert", "DIR/text.txt", "DIR/tiny.gguf"],
    &["check", "--device", "metal"],
    &["check", "--device", "cpu", "--op", "copy", "--report", "DIR/no/report.md"],
    &["check", "--device", "cpu", "--op", "copy", "--report", "DIR"],
    &["bench", "model", "-m", "tiny", "--svg", "DIR/no/speed.svg"],
    &["bench", "model", "-m", "tiny", "--context", "4"],
    &["bench", "ops", "--op", "copy", "--svg", "DIR/no/ops.svg"],
];

/// Lines that a chat does not obey, and those that it cannot.
const CHAT: &str = "\
/fly
/save
/load
/set top_k
/set top_q 1
/set top_k x
/set temperature -1
/set system x
/load DIR/nowhere.json
/load DIR/text.txt
/load DIR/chat.json
/save DIR/no/chat.json
";

fn models() -> Models {
    let models = Models::new();
    let tiny = fs::read(models.path("tiny.gguf")).unwrap();
    fs::write(models.path("short.gguf"), &tiny[..tiny.len() / 2]).unwrap();
    fs::write(models.path("broken.gguf"), b"GGUF\x03\0\0\0nonsense").unwrap();
    // One without a template: its key is another.
    let key = b"tokenizer.chat_template";
    let at = tiny.windows(key.len()).position(|bytes| bytes == key).unwrap();
    let mut plain = tiny;
    plain[at + key.len() - 1] = b'x';
    fs::write(models.path("plain.gguf"), plain).unwrap();
    fs::write(models.path("text.txt"), "a few words").unwrap();
    fs::write(models.path("chat.json"), r#"{"model": "x", "messages": []}"#).unwrap();
    models
}

/// What a command says on stderr after what it was asked, with nothing of this machine in it.
fn said(models: &Models, args: &[&str], input: &str) -> String {
    let folder = models.text("");
    let folder = folder.trim_end_matches('/');
    let args: Vec<String> = args.iter().map(|arg| arg.replace("DIR", folder)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command = if input.is_empty() && !args.contains(&"-m") {
        common::bessemer(&args)
    } else {
        models.command(&args)
    };
    command.env("BESSEMER_MODELS", folder).env("COLUMNS", "100");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Whoever refuses may not read it.
    let _ = child.stdin.take().unwrap().write_all(input.replace("DIR", folder).as_bytes());
    let done = child.wait_with_output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(!err.contains("panicked"), "{args:?}: {err}");
    let text =
        format!("$ bessemer {}\n{err}exit code {}\n", args.join(" "), done.status.code().unwrap());
    text.replace(folder, "DIR")
}

/// Our own errors are one line in the form of all errors; clap's have a form of their own.
fn assert_form(text: &str) {
    let own = |line: &&str| line.starts_with("error: ") && !text.contains("For more information");
    let lines = text.lines().filter(own).map(|line| line.trim_start_matches("error: "));
    texts::assert_form(lines);
}

fn all(models: &Models, cases: &[&[&str]]) -> String {
    let mut text = String::new();
    for args in cases {
        let said = said(models, args, "");
        assert_form(&said);
        let code = said.lines().last().unwrap();
        assert!(code == "exit code 1" || code == "exit code 2", "{said}");
        writeln!(text, "{said}").unwrap();
    }
    text
}

#[test]
fn wrong_usage() {
    insta::assert_snapshot!(all(&models(), USAGE));
}

#[test]
fn what_cannot_be_done() {
    insta::assert_snapshot!(all(&models(), FAILURES));
}

#[test]
fn what_a_chat_refuses() {
    let text = said(&models(), &["chat", "--raw", "-m", "tiny"], CHAT);
    assert_form(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn input_that_is_no_text() {
    let models = models();
    let mut command = models.command(&["run", "-m", "tiny"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\xfe").unwrap();
    let done = child.wait_with_output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert_form(&err);
    insta::assert_snapshot!(err);
}
