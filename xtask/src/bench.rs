//! `cargo xtask bench`: gives NumPy an environment of its own and runs `bench/peers`.

use crate::{
    install,
    shell::{self, cargo, command, root, succeeds, target_dir},
};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// How much to measure.
#[derive(Debug)]
pub(crate) struct Options {
    /// Rounds of each row.
    pub(crate) rounds: Option<String>,
    /// Part of the names of the rows to measure.
    pub(crate) only: Option<String>,
}

/// Builds, installs, measures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut peers = cargo("run --release --locked -p bessemer-peers --");
    peers.arg("--python").arg(python_with_numpy()?);
    for (name, value) in [("--rounds", &options.rounds), ("--only", &options.only)] {
        if let Some(value) = value {
            peers.args([name, value]);
        }
    }
    shell::run(&mut peers)
}

/// The Python of a virtual environment that has what `bench/requirements.txt` asks for.
fn python_with_numpy() -> Result<PathBuf> {
    let home = target_dir().join("bench-python");
    let python = home.join("bin/python");
    if !succeeds(&mut command(&python, ["-m", "pip", "--version"])) {
        if !succeeds(&mut command("python3", ["-m", "ensurepip", "--version"])) {
            if !install::has_apt() {
                bail!("NumPy is measured beside us: this needs python3 with its venv module");
            }
            install::update()?;
            install::apt_install(&["python3", "python3-venv"])?;
        }
        shell::run(command("python3", ["-m", "venv", "--clear"]).arg(&home))?;
    }
    let mut install = command(&python, ["-m", "pip", "install", "--quiet", "--requirement"]);
    shell::run(install.arg(root().join("bench/requirements.txt")))?;
    Ok(python)
}
