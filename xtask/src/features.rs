//! What the crate `bessemer` is built of: each feature brings its own dependencies, and no others.

use crate::shell::{self, cargo};
use anyhow::{Result, bail};

/// Crates that arrays alone must not need.
const HEAVY: [&str; 6] =
    ["bessemer-jinja", "fancy-regex", "bessemer-llm", "bessemer-store", "wgpu", "softmetal"];

/// Builds it with nothing but arrays on the CPU, and looks at what else people get by default.
pub(crate) fn check() -> Result<()> {
    shell::run(&mut cargo("build -p bessemer --no-default-features --locked"))?;
    forbid("tree -p bessemer --no-default-features", &HEAVY)?;
    for package in ["bessemer", "bessemer-cli"] {
        forbid(&format!("tree -p {package}"), &["softmetal"])?;
    }
    Ok(())
}

/// Fails if what `cargo tree` lists has one of `names`.
fn forbid(tree: &str, names: &[&str]) -> Result<()> {
    let list = shell::output(&mut cargo(&format!("{tree} --locked --edges normal --prefix none")))?;
    let found = list.lines().filter_map(|line| line.split(' ').next());
    if let Some(name) = found.into_iter().find(|name| names.contains(name)) {
        bail!("`cargo {tree}` needs {name}, which belongs to a feature that is not on");
    }
    Ok(())
}
