//! What reaches a terminal and a pipe of texts that come from files, models and arguments.
#![cfg(unix)]

mod common;
#[path = "common/pty.rs"]
mod pty;
#[path = "common/tiny.rs"]
mod tiny;

use bessemer_llm::tiny::Tiny;
use common::{bessemer, finish};
use pty::on_terminal;
use std::{fs, process::Command};
use tiny::Models;

/// A title, the clipboard, a clear screen, in C0 and C1, and text that runs backwards.
const HOSTILE: &str = "a\x1b]0;t\x07b\x1b]52;c;eA\x1b\\c\u{9b}2Jd\u{202e}e";
const SEEN: &str = "a\\u001b]0;t\\u0007b\\u001b]52;c;eA\\u001b\\c\\u009b2Jd\\u202ee";

/// The escape sequences that styles are made of, taken out; nothing else may be left.
fn without_styles(text: &str) -> String {
    let mut text = text.to_owned();
    for style in ["0", "1", "2", "4", "31", "32", "33"] {
        text = text.replace(&format!("\x1b[{style}m"), "");
    }
    text
}

fn assert_shown(command: impl Fn() -> Command, code: i32) {
    let seen = on_terminal(command(), code);
    let plain = without_styles(&seen);
    assert!(plain.contains(SEEN), "{plain:?}");
    for c in ['\x1b', '\x07', '\u{9b}', '\u{202e}'] {
        assert!(!plain.contains(c), "{plain:?}");
    }
    let (out, err) = finish(command(), code);
    assert!(format!("{out}{err}").contains(HOSTILE), "{out}{err}");
}

#[test]
fn text_of_files_and_arguments_is_shown_and_not_obeyed() {
    let models = Models::new();
    // The name of a file, in an error.
    assert_shown(|| models.command(&["inspect", &format!("./{HOSTILE}.gguf")]), 1);
    // An argument, in clap's words.
    assert_shown(|| bessemer(&["inspect", &format!("--{HOSTILE}")]), 2);
    assert_shown(|| bessemer(&["demo", "--device", HOSTILE]), 2);
    // A name in the list of models.
    let file = models.path(&format!("{HOSTILE}.gguf"));
    fs::write(file, Tiny::default().gguf(|_, _| {})).unwrap();
    assert_shown(|| models.command(&["models"]), 0);
    // A prompt, before what the model adds.
    assert_shown(|| models.command(&["run", "--raw", "-m", "tiny", "-n", "0", HOSTILE]), 0);
}

#[test]
fn names_in_a_file_are_shown_and_not_obeyed() {
    let models = Models::new();
    let mut file = Tiny::default().gguf(|_, _| {});
    let name = b"output_norm.weight";
    let at = file.windows(name.len()).position(|bytes| bytes == name).unwrap();
    file[at] = 0x1b;
    fs::write(models.path("odd.gguf"), file).unwrap();
    let inspect = || models.command(&["inspect", "odd"]);
    let seen = without_styles(&on_terminal(inspect(), 0));
    assert!(seen.contains("\\u001butput_norm.weight") && !seen.contains('\x1b'), "{seen:?}");
    assert!(finish(inspect(), 0).0.contains("\x1butput_norm.weight"));
}

#[test]
fn text_of_a_model_is_shown_and_not_obeyed() {
    let models = Models::new();
    // Tokens are bytes: this one is always the escape character.
    let escapes = |command: &str| {
        let args = [command, "--raw", "-m", "tiny", "-n", "3", "--temperature", "0"];
        models.command(&[&args[..], &["--logit-bias", "27=1e6"]].concat())
    };
    let run = || {
        let mut command = escapes("run");
        command.arg("x");
        command
    };
    assert_eq!(on_terminal(run(), 0), "x\\u001b\\u001b\\u001b\n");
    assert_eq!(finish(run(), 0).0, "x\x1b\x1b\x1b\n");
    let (text, _) = models.run_with(
        &["chat", "--raw", "-m", "tiny", "-n", "3", "--temperature", "0", "--logit-bias", "27=1e6"],
        "x\n",
        0,
    );
    assert_eq!(text, "\x1b\x1b\x1b\n");
}

#[test]
fn styles_are_for_terminals_that_want_them() {
    let models = Models::new();
    let inspect = || models.command(&["inspect", "tiny"]);
    let coloured = on_terminal(inspect(), 0);
    assert!(coloured.contains("\x1b[1mmetadata\x1b[0m"), "{coloured:?}");
    assert!(!without_styles(&coloured).contains('\x1b'), "{coloured:?}");
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0")] {
        let mut command = bessemer(&["inspect", "nowhere"]);
        command.env(name, value);
        assert!(!on_terminal(command, 1).contains('\x1b'), "{name}");
    }
    assert!(on_terminal(bessemer(&["inspect", "nowhere"]), 1).contains("\x1b[31m"));
    assert_eq!(finish(inspect(), 0).0, without_styles(&coloured));
}
