//! `cargo xtask deny`: dependencies are of licences, sources and health we accept.
//! What we accept is in `deny.toml`.

use crate::shell::{self, cargo, succeeds};
use anyhow::Result;

/// All checks; cargo-deny is installed if it is missing.
pub(crate) fn run() -> Result<()> {
    if !is_installed() {
        shell::run(&mut cargo("install --locked cargo-deny"))?;
    }
    shell::run(&mut cargo("deny --workspace check"))
}

/// The checks that need no network: all but known vulnerabilities.
pub(crate) fn check_offline() -> Result<()> {
    shell::run(&mut cargo("deny --workspace --offline check bans licenses sources"))
}

/// Whether cargo-deny is here.
pub(crate) fn is_installed() -> bool {
    succeeds(&mut cargo("deny --version"))
}
