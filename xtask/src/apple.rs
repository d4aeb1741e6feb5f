//! `cargo xtask apple-check`: the workspace type-checked for Apple's systems where there are none.
//! Nothing is linked or run, so no SDK is needed, and C code of dependencies is not compiled.

use crate::{shell, shell::target_dir, steps::Steps, toolchain::Toolchain};
use anyhow::Result;

const TARGETS: [&str; 3] = ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-apple-ios"];

/// The check alone, for all of them.
pub(crate) fn run() -> Result<()> {
    let mut all = Steps::default();
    check(&mut all, &TARGETS)?;
    eprintln!("\n{all}");
    Ok(())
}

/// Adds the steps of the check to others, for the first of them: each takes minutes, and they differ
/// in little.
pub(crate) fn steps(steps: &mut Steps) -> Result<()> {
    check(steps, &TARGETS[..1])
}

fn check(steps: &mut Steps, targets: &[&str]) -> Result<()> {
    if cfg!(target_os = "macos") {
        eprintln!("\nThis is a Mac: the ordinary tests are the check.");
        return Ok(());
    }
    let toolchain = steps.run("apple: tools", || Toolchain::find(targets))?;
    steps.run("apple: types", || {
        let chosen: Vec<_> = targets.iter().map(|target| format!("--target {target}")).collect();
        let line = format!("check --workspace --locked {}", chosen.join(" "));
        let mut check = toolchain.cargo(&line, "-Zbuild-std=std,panic_abort");
        for target in targets.iter().map(|target| target.replace('-', "_")) {
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
