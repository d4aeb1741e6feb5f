//! `cargo xtask support`: the table of supported ops, `docs/support.md`, made from what the
//! devices pass. A test in `crates/conformance` fails if the page is not current.

use crate::{
    install,
    shell::{self, cargo, command, output, root, show, target_dir},
};
use anyhow::{Context, Result};
use std::fs;

const PAGE: &str = "docs/support.md";

/// Runs the conformance cases on every device and writes the page.
pub(crate) fn run() -> Result<()> {
    install::clang()?;
    install::vulkan()?;
    // As part of the workspace, so that what the tests have built is used: by itself the command
    // has fewer features, and everything it depends on would be built once more.
    shell::run(&mut cargo("build --quiet --workspace --locked --bin bessemer"))?;
    let mut command = command(target_dir().join("debug/bessemer"), ["check", "--markdown"]);
    command.env("BESSEMER_SOFTMETAL", "checked");
    show(&command);
    let page = output(&mut command)?;
    fs::write(root().join(PAGE), page).with_context(|| format!("writing {PAGE}"))
}
