//! `cargo xtask test`: what every change must pass.

use crate::{
    aarch64, apple, deny, features, install, serve_test,
    shell::{self, cargo},
    steps::Steps,
    summary::count_tests,
    wgsl_check, wheel, windows,
};
use anyhow::Result;
use std::process::Command;

/// What to leave out and to add.
#[derive(Debug)]
pub(crate) struct Options {
    /// Only what finds most mistakes soonest.
    pub(crate) quick: bool,
    /// Also the Arm build under qemu.
    pub(crate) aarch64: bool,
    /// Also the Windows build under Wine.
    pub(crate) windows: bool,
}

/// Runs it all; the first step that fails ends it.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut steps = Steps::default();
    if cfg!(windows) {
        for (package, reason) in windows::LEFT_OUT {
            eprintln!("Not on Windows: {package}: {reason}");
        }
        eprintln!("{}", windows::LEFT_OUT_STEPS);
    }
    steps.run("tools", || {
        install::nextest()?;
        if cfg!(windows) { Ok(()) } else { install::clang().and_then(|()| install::vulkan()) }
    })?;
    let swiftshader = match options.quick {
        true => None,
        false => steps.run("tools: SwiftShader", install::swiftshader)?,
    };
    steps.run("rustfmt", || shell::run(&mut cargo("fmt --all --check")))?;
    steps.run("clippy", || {
        shell::run(here("clippy --all-targets --locked").args(["--", "-D", "warnings"]))
    })?;
    steps.run("build", || shell::run(&mut here("build --all-targets --locked")))?;
    let mut passed = steps.run("tests", || count_tests(&mut nextest()))?;
    if !options.quick {
        for isa in narrower_isas() {
            passed += steps.run(&format!("tests with {isa}"), || {
                // Conformance goes through all instruction sets by itself, and GPUs have none.
                let chosen = "rdeps(bessemer-simd) - package(bessemer-conformance) \
                    - package(bessemer-metal) - package(bessemer-webgpu)";
                count_tests(nextest().args(["-E", chosen]).env("BESSEMER_ISA", isa))
            })?;
        }
        if let Some(driver) = &swiftshader {
            passed += steps.run("conformance on SwiftShader", || {
                let mut tests = nextest();
                tests.args(["-E", "binary_id(bessemer-webgpu::conformance)"]);
                // The older name of the two is for older loaders of Vulkan.
                tests.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
                count_tests(tests.env("BESSEMER_ADAPTER", "SwiftShader"))
            })?;
        }
        if !cfg!(windows) {
            wgsl_check::steps(&mut steps)?;
        }
        steps.run("examples in the documentation", || {
            shell::run(&mut here("test --doc --locked --quiet"))
        })?;
        steps.run("documentation", || {
            let mut doc = here("doc --no-deps --locked");
            shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
        })?;
        passed += wheel::steps(&mut steps, wheel::Options { quick: true, full: false })?;
        if cfg!(target_os = "linux") {
            serve_test::steps(&mut steps, serve_test::Options { cases: serve_test::FEW })?;
        }
        if !cfg!(windows) {
            apple::steps(&mut steps)?;
        }
        steps.run("features", features::check)?;
        if deny::is_installed() {
            steps.run("dependencies", deny::check_offline)?;
        }
    }
    if options.aarch64 {
        passed += aarch64::steps(&mut steps)?;
    }
    if options.windows {
        passed += windows::steps(&mut steps)?;
    }
    eprintln!("\n{steps}\n");
    println!("{passed} passed, 0 failed");
    Ok(())
}

fn nextest() -> Command {
    here("nextest run --locked --no-fail-fast --status-level slow")
}

/// cargo, on all packages that this system can test.
fn here(line: &str) -> Command {
    let mut cargo = cargo(line);
    cargo.arg("--workspace");
    if cfg!(windows) {
        cargo.args(windows::LEFT_OUT.iter().flat_map(|(package, _)| ["--exclude", package]));
    }
    cargo
}

/// What `BESSEMER_ISA` can be set to here, but for the widest, which is the default.
fn narrower_isas() -> Vec<&'static str> {
    let mut isas = vec!["portable"];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avx512vnni") {
        isas.push("avx2");
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("dotprod") {
        isas.push("neon");
    }
    isas
}
