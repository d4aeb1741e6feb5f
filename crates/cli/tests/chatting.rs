//! A chat on a terminal: wrapping, history, completion.
#![cfg(unix)]

mod common;
#[path = "common/pty.rs"]
mod pty;
#[path = "common/tiny.rs"]
mod tiny;

use pty::Pty;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};
use tiny::Models;

/// A chat with a model that answers in a pattern, with its history under `state`.
fn chat(models: &Models, state: &Path, flags: &[&str], columns: u16) -> Pty {
    let args = ["chat", "--raw", "-m", "tiny", "--temperature", "0"];
    let mut command = models.command(&[&args[..], flags].concat());
    command.env("XDG_STATE_HOME", state).env("NO_COLOR", "1");
    let pty = Pty::start(command, columns);
    pty.wait_for("> ", 1);
    pty
}

#[test]
fn answers_are_wrapped_at_the_width_of_the_terminal() {
    let models = Models::new();
    // Blanks and letters only, so that there are words.
    let words = ["-n", "60", "--logit-bias", "32=1000", "--logit-bias", "97=1000"];
    let penalty = ["--frequency-penalty", "30", "--repeat-last-n", "8"];
    let flags = [&words[..], &penalty].concat();
    let mut pty = chat(&models, &models.path("state"), &flags, 20);
    pty.type_keys("x\r");
    pty.wait_for("> ", 2);
    pty.type_keys("\x04");
    let (text, code) = pty.finish();
    assert_eq!(code, Some(0));
    let answer = text.split("> ").nth(1).unwrap();
    let lines: Vec<&str> = answer.split("\r\n").filter(|line| line.contains('a')).collect();
    assert!(lines.len() > 2, "{text:?}");
    for line in lines {
        let letters: String = line.chars().filter(|c| "a ".contains(*c)).collect();
        assert!(letters.len() <= 20, "{text:?}");
    }
}

#[test]
fn lines_are_remembered_for_the_next_chat_and_nobody_else() {
    let models = Models::new();
    let state = models.path("state");
    let mut pty = chat(&models, &state, &["-n", "1"], 80);
    pty.type_keys("remember this\r");
    pty.wait_for("> ", 2);
    pty.type_keys("/quit\r");
    assert_eq!(pty.finish().1, Some(0));

    let file = state.join("bessemer/history");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut pty = chat(&models, &state, &["-n", "1"], 80);
    // Up, past /quit.
    pty.type_keys("\x1b[A\x1b[A");
    pty.wait_for("remember this", 1);
    pty.type_keys("\x15/quit\r");
    assert_eq!(pty.finish().1, Some(0));
}

#[test]
fn the_history_is_bounded() {
    let models = Models::new();
    let state = models.path("state");
    let file = state.join("bessemer/history");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let lines: Vec<String> = (0..3000).map(|i| format!("line {i}")).collect();
    fs::write(&file, format!("#V2\n{}\n", lines.join("\n"))).unwrap();
    let mut pty = chat(&models, &state, &["-n", "1"], 80);
    pty.type_keys("/quit\r");
    assert_eq!(pty.finish().1, Some(0));
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.lines().count() <= 1001, "{}", kept.lines().count());
    assert!(kept.contains("line 2999") && kept.contains("/quit") && !kept.contains("line 5\n"));
}

#[test]
fn tab_completes_commands_and_settings() {
    let models = Models::new();
    let mut pty = chat(&models, &models.path("state"), &["-n", "1"], 80);
    pty.type_keys("/se\ttemp\t0.25\r");
    pty.wait_for("temperature 0.25,", 1);
    pty.type_keys("/qu\t\r");
    let (text, code) = pty.finish();
    assert_eq!(code, Some(0), "{text:?}");
}
