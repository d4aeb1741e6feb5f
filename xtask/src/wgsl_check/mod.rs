//! `cargo xtask wgsl-check`: every WGSL module that bessemer makes, compiled by Dawn, the WebGPU of
//! Chromium, and everything that launches bind, checked by it. naga and the adapters that tests run on
//! take more than browsers do.

use crate::{
    install,
    shell::{self, cargo, command, target_dir},
    steps::Steps,
};
use anyhow::Result;

/// What asks Dawn.
const JUDGE: &str = include_str!("judge.mjs");

/// The check alone.
pub(crate) fn run() -> Result<()> {
    let mut all = Steps::default();
    steps(&mut all)?;
    eprintln!("\n{all}");
    Ok(())
}

/// Adds the steps of the check to others.
pub(crate) fn steps(steps: &mut Steps) -> Result<()> {
    let folder = steps.run("wgsl: Dawn", install::dawn)?;
    let record = folder.join("record.json");
    steps.run("wgsl: modules and launches", || {
        // As one of the workspace, so that what the tests have built is used.
        shell::run(&mut cargo("build --workspace --locked --example wgsl_modules"))?;
        let example = target_dir().join("debug/examples/wgsl_modules");
        shell::run(&mut command(example, [&record]))
    })?;
    steps.run("wgsl: as browsers take it", || {
        let judge = folder.join("judge.mjs");
        std::fs::write(&judge, JUDGE)?;
        shell::run(command("node", [judge, record]).current_dir(&folder))
    })
}
