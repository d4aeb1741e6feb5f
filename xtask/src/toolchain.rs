//! Compilers for other machines than this one: rustup's where the target is installed, else
//! Debian's packages of Rust, which come with the source of the standard library.

use crate::{
    install,
    shell::{cargo, command, output, run},
};
use anyhow::{Result, bail};
use std::{path::Path, process::Command};

/// What builds for a target.
pub(crate) enum Toolchain {
    /// rustup's, with the target installed.
    Rustup,
    /// Debian's, which builds the standard library too.
    Debian,
}

/// Debian's packages of Rust.
const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

impl Toolchain {
    /// A toolchain for all `targets`; installs one if there is none.
    pub(crate) fn find(targets: &[&str]) -> Result<Toolchain> {
        if rustup_has(targets) {
            return Ok(Toolchain::Rustup);
        }
        let source = Path::new("/usr/lib/rustlib/src/rust/library/std/Cargo.toml");
        if source.exists() && Path::new("/usr/bin/cargo").exists() {
            return Ok(Toolchain::Debian);
        }
        let hint = format!("rustup target add {}", targets.join(" "));
        if !install::has_apt() {
            bail!("this needs a compiler for other systems: `{hint}`");
        }
        install::update()?;
        if !PACKAGES.iter().all(|package| install::apt_knows(package)) {
            bail!("this system has no packages of Rust to use: `{hint}`");
        }
        install::apt_install(&PACKAGES)?;
        Ok(Toolchain::Debian)
    }

    /// rustup's toolchain for one target, which it gets if it is missing.
    pub(crate) fn of_rustup(target: &str) -> Result<Toolchain> {
        if !rustup_has(&[target]) {
            run(&mut command("rustup", ["target", "add", target]))?;
        }
        Ok(Toolchain::Rustup)
    }

    /// Its cargo, with the arguments that stand in `line`. Where it has no standard library for the
    /// target, it builds the one that `std` asks for.
    pub(crate) fn cargo(&self, line: &str, std: &str) -> Command {
        match self {
            Toolchain::Rustup => cargo(line),
            Toolchain::Debian => {
                let mut debian = command("/usr/bin/cargo", line.split_whitespace());
                // These are set for the toolchain that runs this.
                for name in ["CARGO", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
                    debian.env_remove(name);
                }
                // Building the standard library is not yet a stable feature of cargo.
                debian.arg(std).env("RUSTC_BOOTSTRAP", "1");
                debian.env("RUSTC", "/usr/bin/rustc").env("RUSTDOC", "/usr/bin/rustdoc");
                debian
            }
        }
    }
}

fn rustup_has(targets: &[&str]) -> bool {
    let installed = output(&mut command("rustup", ["target", "list", "--installed"]));
    let has = |list: &str, target: &&str| list.lines().any(|line| line == *target);
    installed.is_ok_and(|list| targets.iter().all(|target| has(&list, target)))
}
