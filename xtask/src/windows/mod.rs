//! The Windows part of the tests: a build for `x86_64-pc-windows-gnu`, run under Wine from Linux; and
//! what the ordinary tests leave out on Windows itself.

mod wine;

use crate::{
    install,
    shell::{self, command, root, succeeds},
    steps::Steps,
    summary::count_tests,
    toolchain::Toolchain,
};
use anyhow::{Result, bail};
use wine::Wine;

const TARGET: &str = "x86_64-pc-windows-gnu";
const GCC: &str = "x86_64-w64-mingw32-gcc";

/// The crates that touch the system (files, memory, threads, consoles, networks), and the command. What
/// ops compute is no matter of the system: the other tests know.
const PACKAGES: &str = "-p bessemer-cli -p bessemer-store -p bessemer-llm -p bessemer -p bessemer-array \
    -p bessemer-cpu -p bessemer-core";

/// Tests of those that Wine cannot run, as nextest's filters, each with the reason.
const BEYOND_WINE: [(&str, &str); 0] = [];

/// The packages that `cargo xtask test` leaves out on Windows itself, with the reasons.
pub(crate) const LEFT_OUT: [(&str, &str); 4] = [
    ("softmetal", "it loads kernels as ELF objects and catches their faults by signals"),
    ("bessemer-metal", "Metal is on Apple's systems, and in software where softmetal is"),
    ("bessemer-metal-bench", "it counts in softmetal"),
    (
        "bessemer-webgpu",
        "its tests need an adapter that passes them all, and none is known there yet",
    ),
];

/// The steps that `cargo xtask test` leaves out on Windows itself, with the reason.
pub(crate) const LEFT_OUT_STEPS: &str = "Not on Windows: the WGSL check, the Apple check and the table of ops, which are the same everywhere";

/// The Windows part alone.
pub(crate) fn run() -> Result<()> {
    let mut all = Steps::default();
    install::nextest()?;
    let passed = steps(&mut all)?;
    eprintln!("\n{all}\n");
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// Adds the steps of the Windows part to others; returns how many tests passed.
pub(crate) fn steps(steps: &mut Steps) -> Result<usize> {
    if cfg!(windows) {
        eprintln!("\nThis is Windows: the ordinary tests are the Windows tests.");
        return Ok(0);
    }
    let (toolchain, wine) = steps.run("windows: tools", tools)?;
    steps.run("windows: clippy", || {
        // Tests of softmetal are for systems that have it.
        let line = format!("clippy --workspace --locked --target {TARGET} -- -D warnings");
        shell::run(&mut toolchain.cargo(&line, "-Zbuild-std"))
    })?;
    steps.run("windows: clippy on the tests", || {
        let line = format!("clippy {PACKAGES} --tests --locked --target {TARGET} -- -D warnings");
        shell::run(&mut toolchain.cargo(&line, "-Zbuild-std"))
    })?;
    steps.run("windows: build, and tests under Wine", || {
        let line = format!(
            "nextest run {PACKAGES} --target {TARGET} --locked --no-fail-fast --status-level slow"
        );
        let mut nextest = toolchain.cargo(&line, "-Zbuild-std");
        wine.run_tests_of(&mut nextest, TARGET);
        // Snapshots lie below it; nobody can ask a cargo of Linux from within Wine.
        nextest.env("INSTA_WORKSPACE_ROOT", root());
        for (test, reason) in BEYOND_WINE {
            eprintln!("Not under Wine: {test}: {reason}");
            nextest.args(["-E", &format!("not ({test})")]);
        }
        count_tests(&mut nextest)
    })
}

/// Installs what is missing to build for the target and to run it.
fn tools() -> Result<(Toolchain, Wine)> {
    let mut missing = Vec::new();
    if !succeeds(&mut command(GCC, ["--version"])) {
        missing.push("gcc-mingw-w64-x86-64");
    }
    if Wine::find().is_none() {
        missing.push("wine64");
    }
    if !missing.is_empty() {
        if !install::has_apt() {
            bail!("this needs {GCC} and Wine");
        }
        install::update()?;
        install::apt_install(&missing)?;
    }
    let toolchain = Toolchain::of_rustup(TARGET)?;
    Ok((toolchain, Wine::set_up(GCC)?))
}
