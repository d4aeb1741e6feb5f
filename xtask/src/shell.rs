//! Running other programs: what is run is shown, and a failure says which program it was.

use anyhow::{Context, Result, bail};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Where the build puts its files, for those of ours that go there too.
pub(crate) fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A program with arguments, run in the folder of the workspace.
pub(crate) fn command<A: Into<OsString>>(
    program: impl Into<OsString>,
    args: impl IntoIterator<Item = A>,
) -> Command {
    let mut command = Command::new(program.into());
    command.current_dir(root()).args(args.into_iter().map(Into::into));
    command
}

/// The cargo that runs this, with the arguments that stand in `line`.
pub(crate) fn cargo(line: &str) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    command(cargo, line.split_whitespace())
}

/// Shows a command, runs it and waits for it to succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    show(command);
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("`{}` failed: {status}", line(command));
    }
    Ok(())
}

/// What a command prints, once it succeeded. What it prints as errors goes to the terminal.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let out = command.stderr(Stdio::inherit()).output().with_context(|| cannot_start(command))?;
    if !out.status.success() {
        bail!("`{}` failed: {}", line(command), out.status);
    }
    String::from_utf8(out.stdout).with_context(|| format!("the output of `{}`", line(command)))
}

/// Whether a command can be started and succeeds; what it prints is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Shows a command as a person would type it.
pub(crate) fn show(command: &Command) {
    eprintln!("$ {}", line(command));
}

/// A command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let set = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={} ", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let args = command.get_args().map(|arg| format!(" {}", quoted(&arg.to_string_lossy())));
    set.chain([program.to_string_lossy().into_owned()]).chain(args).collect()
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("'{text}'") }
}

/// Why a command could not be run at all.
pub(crate) fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_as_typed() {
        let mut tests = command("/usr/bin/cargo", ["nextest", "run", "-E", "package(a) - all()"]);
        tests.env("BESSEMER_ISA", "avx2");
        assert_eq!(line(&tests), "BESSEMER_ISA=avx2 cargo nextest run -E 'package(a) - all()'");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut command("no-such-program", ["--now"])).unwrap_err();
        assert!(error.to_string().contains("no-such-program --now"), "{error}");
    }
}
