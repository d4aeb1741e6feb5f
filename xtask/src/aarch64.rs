//! The Arm part of the tests: a build for `aarch64-unknown-linux-gnu`, run under qemu on one
//! emulated processor without the integer dot products and one with them.
//!
//! The standard library for that target is rustup's where it is installed; elsewhere it is built
//! from Debian's packages of Rust, which come with its source.

use crate::{
    install,
    shell::{cargo, command, output, succeeds, target_dir},
    steps::Steps,
    summary::count_tests,
};
use anyhow::{Result, bail};
use std::{path::Path, process::Command};

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
    let toolchain = steps.run("arm: tools", Toolchain::find)?;
    let tests = |processor, chosen| count_tests(&mut toolchain.nextest(processor, chosen));
    let dot = steps.run("arm: build, and tests with dot products", || {
        // Emulation is slow, and how many threads there are is no matter of the processor.
        tests(WITH_DOT, "not (package(bessemer-conformance) & test(one_thread))")
    })?;
    let plain = steps.run("arm: tests without dot products", || {
        tests(WITHOUT_DOT, "package(bessemer-simd) + package(bessemer-conformance) & test(widest)")
    })?;
    Ok(dot + plain)
}

/// What builds for the target.
enum Toolchain {
    /// rustup's, with the target installed.
    Rustup,
    /// Debian's, with the source of the standard library.
    Debian,
}

impl Toolchain {
    /// Installs what is missing to build for the target and to run it.
    fn find() -> Result<Toolchain> {
        let mut missing = Vec::new();
        if !succeeds(&mut command("aarch64-linux-gnu-gcc", ["--version"])) {
            missing.extend(["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]);
        }
        if !succeeds(&mut command("qemu-aarch64", ["--version"])) {
            missing.push("qemu-user");
        }
        let rustup = rustup_has_target();
        let source = Path::new("/usr/lib/rustlib/src/rust/library/std/Cargo.toml");
        let debian = source.exists() && Path::new("/usr/bin/cargo").exists();
        if !rustup && !debian {
            missing.extend(["rustc-web", "cargo-web", "rust-web-src"]);
        }
        if !missing.is_empty() {
            if !install::has_apt() {
                bail!("this needs an {TARGET} gcc, qemu-aarch64, and `rustup target add {TARGET}`");
            }
            install::update()?;
            if missing.contains(&"rust-web-src") && !install::apt_knows("rust-web-src") {
                bail!("this system has no packages of Rust to use: `rustup target add {TARGET}`");
            }
            install::apt_install(&missing)?;
        }
        Ok(if rustup { Toolchain::Rustup } else { Toolchain::Debian })
    }

    /// nextest on the `chosen` tests of the packages, each on an emulated `processor`.
    fn nextest(&self, processor: &str, chosen: &str) -> Command {
        let line = format!(
            "nextest run {PACKAGES} --target {TARGET} --locked --no-fail-fast --status-level slow"
        );
        let mut nextest = match self {
            Toolchain::Rustup => cargo(&line),
            Toolchain::Debian => {
                let mut nextest = command("/usr/bin/cargo", line.split_whitespace());
                // These are set for the toolchain that runs this.
                for name in ["CARGO", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
                    nextest.env_remove(name);
                }
                // Building the standard library is not yet a stable feature of cargo.
                nextest.arg("-Zbuild-std").env("RUSTC_BOOTSTRAP", "1");
                nextest.env("RUSTC", "/usr/bin/rustc").env("RUSTDOC", "/usr/bin/rustdoc");
                nextest
            }
        };
        let of_target = |name| format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_{name}");
        let runner = format!("qemu-aarch64 -cpu {processor} -L /usr/aarch64-linux-gnu");
        nextest.env(of_target("LINKER"), "aarch64-linux-gnu-gcc").env(of_target("RUNNER"), runner);
        // Another compiler than that of the other tests: neither shall throw out the other's files.
        nextest.env("CARGO_TARGET_DIR", target_dir().join("aarch64"));
        // Emulated code takes longer to run than it takes to optimise.
        nextest.env("CARGO_PROFILE_DEV_OPT_LEVEL", "2").args(["-E", chosen]);
        nextest
    }
}

fn rustup_has_target() -> bool {
    let installed = output(&mut command("rustup", ["target", "list", "--installed"]));
    installed.is_ok_and(|list| list.lines().any(|target| target == TARGET))
}
