//! `cargo xtask support`: the table of supported ops, `docs/support.md`, made from what the
//! devices pass.

use crate::shell::{cargo, output, root, show};
use anyhow::{Context, Result, bail};
use std::fs;

const PAGE: &str = "docs/support.md";

/// Makes the page anew, or only looks whether it is as it would be made.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut command = cargo("run --quiet --locked -p bessemer-cli -- check --markdown");
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
