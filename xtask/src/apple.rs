//! `cargo xtask apple-check`: the workspace type-checked for Apple's systems where there are none.
//! Nothing is linked or run, so no SDK is needed, and C code of dependencies is not compiled.

use crate::{shell, shell::target_dir, steps::Steps, toolchain::Toolchain};
use anyhow::Result;

const TARGETS: [&str; 3] = ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-apple-ios"];

/// The check alone.
pub(crate) fn run() -> Result<()> {
    let mut all = Steps::default();
    steps(&mut all)?;
    eprintln!("\n{all}");
    Ok(())
}

/// Adds the steps of the check to others.
pub(crate) fn steps(steps: &mut Steps) -> Result<()> {
    if cfg!(target_os = "macos") {
        eprintln!("\nThis is a Mac: the ordinary tests are the check.");
        return Ok(());
    }
    let toolchain = steps.run("apple: tools", || Toolchain::find(&TARGETS))?;
    steps.run("apple: types", || {
        let targets = TARGETS.map(|target| format!("--target {target}")).join(" ");
        let line = format!("check --workspace --locked {targets}");
        let mut check = toolchain.cargo(&line, "-Zbuild-std=std,panic_abort");
        for target in TARGETS.map(|target| target.replace('-', "_")) {
            // What build scripts run as C compiler and archiver: it succeeds and makes nothing.
            check.env(format!("CC_{target}"), "true").env(format!("AR_{target}"), "true");
        }
        // Another compiler than that of the other steps: neither shall throw out the other's files.
        let folder = target_dir().join("apple");
        // Any folder will do, so that nobody looks for a real one.
        check.env("SDKROOT", &folder).env("CARGO_TARGET_DIR", &folder);
        std::fs::create_dir_all(&folder)?;
        shell::run(&mut check)
    })
}
