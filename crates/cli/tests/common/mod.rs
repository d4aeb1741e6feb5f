//! Running the command as a shell would.
#![allow(dead_code, unreachable_pub)]

use std::process::{Command, Output};

/// The command, with nothing of this machine's settings.
pub fn bessemer(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bessemer"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "BESSEMER_THREADS", "BESSEMER_ISA"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

/// What it printed, if it ended with this exit code.
pub fn run(args: &[&str], code: i32) -> (String, String) {
    finish(bessemer(args), code)
}

/// The same for a command prepared by the test.
pub fn finish(mut command: Command, code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert_eq!(status.code(), Some(code), "{command:?}\nout: {out}\nerr: {err}");
    for text in [&out, &err] {
        assert!(!text.contains("panicked"), "{command:?}\n{text}");
    }
    (out, err)
}

/// One line on stderr that starts with `error: ` and has all of `words` in it.
pub fn assert_one_error(err: &str, words: &[&str]) {
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("error: "), "{err}");
    for word in words {
        assert!(err.contains(word), "`{word}` is not in: {err}");
    }
}
