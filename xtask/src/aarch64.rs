//! The Arm part of the tests: a build for `aarch64-unknown-linux-gnu`, run under qemu on one
//! emulated processor without the integer dot products and one with them.

use crate::{
    install,
    shell::{command, succeeds, target_dir},
    steps::Steps,
    summary::count_tests,
    toolchain::Toolchain,
};
use anyhow::{Result, bail};
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
/// The crates with code that depends on the processor, and what they stand on.
const PACKAGES: &str = "-p bessemer-simd -p bessemer-core -p bessemer-program -p bessemer-ops \
    -p bessemer-cpu -p bessemer-conformance";
/// Has the integer dot products: every level of instructions is tested on it.
const WITH_DOT: &str = "neoverse-n1";
/// Has none, so here they must not be found nor used.
const WITHOUT_DOT: &str = "cortex-a57";

/// The Arm part alone.
pub(crate) fn run() -> Result<()> {
    let mut all = Steps::default();
    install::nextest()?;
    let passed = steps(&mut all)?;
    eprintln!("\n{all}\n");
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// Adds the steps of the Arm part to others; returns how many tests passed.
pub(crate) fn steps(steps: &mut Steps) -> Result<usize> {
    if cfg!(target_arch = "aarch64") {
        eprintln!("\nThis is an Arm machine: the ordinary tests are the Arm tests.");
        return Ok(0);
    }
    let toolchain = steps.run("arm: tools", tools)?;
    let tests = |processor, chosen| count_tests(&mut nextest(&toolchain, processor, chosen));
    let dot = steps.run("arm: build, and tests with dot products", || {
        // Emulation is slow: what is no matter of the processor (threads, layouts, portable code)
        // is left to the other tests.
        let here = "not (package(bessemer-conformance) \
            & (test(one_thread) | test(portable) | binary(layouts)))";
        tests(WITH_DOT, here)
    })?;
    let plain = steps.run("arm: tests without dot products", || {
        tests(WITHOUT_DOT, "package(bessemer-simd) + package(bessemer-conformance) & test(widest)")
    })?;
    Ok(dot + plain)
}

/// Installs what is missing to build for the target and to run it.
fn tools() -> Result<Toolchain> {
    let mut missing = Vec::new();
    if !succeeds(&mut command("aarch64-linux-gnu-gcc", ["--version"])) {
        missing.extend(["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]);
    }
    if !succeeds(&mut command("qemu-aarch64", ["--version"])) {
        missing.push("qemu-user");
    }
    if !missing.is_empty() {
        if !install::has_apt() {
            bail!("this needs an {TARGET} gcc and qemu-aarch64");
        }
        install::update()?;
        install::apt_install(&missing)?;
    }
    Toolchain::find(&[TARGET])
}

/// nextest on the `chosen` tests of the packages, each on an emulated `processor`.
fn nextest(toolchain: &Toolchain, processor: &str, chosen: &str) -> Command {
    let line = format!(
        "nextest run {PACKAGES} --target {TARGET} --locked --no-fail-fast --status-level slow"
    );
    let mut nextest = toolchain.cargo(&line, "-Zbuild-std");
    let of_target = |name| format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_{name}");
    let runner = format!("qemu-aarch64 -cpu {processor} -L /usr/aarch64-linux-gnu");
    nextest.env(of_target("LINKER"), "aarch64-linux-gnu-gcc").env(of_target("RUNNER"), runner);
    // Another compiler than that of the other tests: neither shall throw out the other's files.
    nextest.env("CARGO_TARGET_DIR", target_dir().join("aarch64"));
    // Emulated code takes longer to run than it takes to optimise.
    nextest.env("CARGO_PROFILE_DEV_OPT_LEVEL", "2").args(["-E", chosen]);
    nextest
}
