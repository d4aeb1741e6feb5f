//! Getting the tools that tests need, through the package clients people use anyway.

use crate::shell::{cargo, command, output, run, succeeds};
use anyhow::{Context, Result, bail};
use std::{env, fs, process::Command};

/// cargo-nextest, which runs the tests.
pub(crate) fn nextest() -> Result<()> {
    if succeeds(&mut cargo("nextest --version")) {
        return Ok(());
    }
    run(&mut cargo("install --locked cargo-nextest")).context(
        "cargo-nextest is missing and could not be built; its site has prebuilt ones: https://nexte.st",
    )
}

/// The oldest clang that softmetal works with.
const OLDEST_CLANG: u32 = 19;
/// The newest clang to look for.
const NEWEST_CLANG: u32 = 30;

/// A clang for softmetal, which compiles Metal's shading language with it.
pub(crate) fn clang() -> Result<()> {
    if env::var_os("SOFTMETAL_CLANG").is_some() || has_clang() {
        return Ok(());
    }
    let packages = (OLDEST_CLANG..=NEWEST_CLANG).map(|version| format!("clang-{version}"));
    let wanted = format!("clang {OLDEST_CLANG} or newer");
    if !has_apt() {
        bail!("softmetal needs {wanted}; install one, or set SOFTMETAL_CLANG to its path");
    }
    update()?;
    let package = packages.into_iter().find(|package| apt_knows(package));
    let package = package.with_context(|| format!("this system has no package of {wanted}"))?;
    apt_install(&[&package])
}

/// A Vulkan driver in software, on which the WebGPU device is tested. Elsewhere than on Linux the
/// system's own GPU is what there is.
pub(crate) fn vulkan() -> Result<()> {
    let drivers = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    let is_software = |name: &str| name.starts_with("lvp_icd");
    let here = drivers.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut here = here.filter_map(|entry| entry.file_name().into_string().ok());
    if !cfg!(target_os = "linux") || here.any(|name| is_software(&name)) {
        return Ok(());
    }
    if !has_apt() {
        bail!("the WebGPU device is tested on Mesa's lavapipe: install Mesa's Vulkan drivers");
    }
    update()?;
    apt_install(&["mesa-vulkan-drivers"])
}

fn has_clang() -> bool {
    let named = |version| succeeds(&mut command(format!("clang-{version}"), ["--version"]));
    // Apple counts versions in its own way.
    let oldest = if cfg!(target_os = "macos") { 0 } else { OLDEST_CLANG };
    let plain = output(&mut command("clang", ["-dumpversion"])).ok();
    let major = plain.as_deref().and_then(|version| version.trim().split('.').next()?.parse().ok());
    major.is_some_and(|major: u32| major >= oldest) || (OLDEST_CLANG..=NEWEST_CLANG).any(named)
}

/// Whether the system's packages come through apt.
pub(crate) fn has_apt() -> bool {
    succeeds(&mut command("apt-get", ["--version"]))
}

/// Whether apt can install `package`. Its lists must be fresh: see [`update`].
pub(crate) fn apt_knows(package: &str) -> bool {
    succeeds(&mut command("apt-cache", ["show", "--quiet=2", "--no-all-versions", package]))
}

/// Fetches apt's lists of packages.
pub(crate) fn update() -> Result<()> {
    run(&mut as_root("apt-get", &["update", "--quiet=2"]))
}

/// Installs packages that apt knows.
pub(crate) fn apt_install(packages: &[&str]) -> Result<()> {
    let mut args = vec!["install", "--yes", "--quiet=2", "--no-install-recommends"];
    args.extend(packages);
    run(as_root("apt-get", &args).env("DEBIAN_FRONTEND", "noninteractive"))
        .with_context(|| format!("these packages are needed: {}", packages.join(" ")))
}

/// A command with the rights to change the system: as it is for root, else through sudo.
fn as_root(program: &str, args: &[&str]) -> Command {
    if succeeds(&mut command("sh", ["-c", "test \"$(id -u)\" = 0"])) {
        command(program, args)
    } else {
        command("sudo", [&[program], args].concat())
    }
}
