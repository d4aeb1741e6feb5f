//! `cargo xtask support`: the table of supported ops, `docs/support.md`, made from what the
//! devices pass.

use crate::shell::{self, cargo, command, output, root, show, target_dir};
use anyhow::{Context, Result, bail};
use std::fs;

const PAGE: &str = "docs/support.md";

/// Makes the page anew, or only looks whether it is as it would be made.
pub(crate) fn run(check: bool) -> Result<()> {
    // As one of the workspace, so that what the tests have built is used: by itself it has fewer
    // features, and all that it depends on would be built once more.
    shell::run(&mut cargo("build --quiet --workspace --locked --bin bessemer"))?;
    let mut command = command(target_dir().join("debug/bessemer"), ["check", "--markdown"]);
    show(&command);
    let page = output(&mut command)?;
    let path = root().join(PAGE);
    if check {
        let found = fs::read_to_string(path).with_context(|| format!("reading {PAGE}"))?;
        if found != page {
            bail!("{PAGE} is not what the devices pass now: run `cargo xtask support`");
        }
        return Ok(());
    }
    fs::create_dir_all(root().join("docs"))?;
    fs::write(path, page).with_context(|| format!("writing {PAGE}"))
}
