//! Getting the tools that tests need, through the package clients people use anyway.

use crate::shell::{cargo, command, output, run, succeeds, target_dir};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

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

/// Where packages of chromium put SwiftShader, a Vulkan driver in software: what chromium itself runs
/// WebGPU on where there is no GPU.
const CHROMIUM: [&str; 2] = ["/usr/lib/chromium", "/opt/google/chrome"];

/// SwiftShader, the second adapter that the WebGPU device is tested on: the file that names it to
/// Vulkan. `None` where no package has it: elsewhere than on Linux, and on some Linuxes for Arm.
pub(crate) fn swiftshader() -> Result<Option<PathBuf>> {
    const PACKAGE: &str = "chromium-common";
    let file = |folder| Path::new(folder).join("vk_swiftshader_icd.json");
    let find = || CHROMIUM.into_iter().map(file).find(|file| file.exists());
    if !cfg!(target_os = "linux") || find().is_some() {
        return Ok(find());
    }
    if has_apt() {
        update()?;
    }
    if !has_apt() || !apt_knows(PACKAGE) {
        eprintln!("This system has no package {PACKAGE}: nothing is tested on SwiftShader.");
        return Ok(None);
    }
    apt_install(&[PACKAGE])?;
    let none = || format!("{PACKAGE} has no vk_swiftshader_icd.json in {}", CHROMIUM[0]);
    find().with_context(none).map(Some)
}

/// Chromium itself, which the server's page is tested in, and Node, which drives it.
pub(crate) fn chromium() -> Result<()> {
    let all = [("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")];
    let missing = |(program, _): &(&str, &str)| !succeeds(&mut command(*program, ["--version"]));
    let missing: Vec<&str> = all.into_iter().filter(missing).map(|(_, package)| package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !has_apt() {
        bail!("the chat page is tested in Chromium: install {}", missing.join(" and "));
    }
    update()?;
    apt_install(&missing)
}

/// The release of npm's package `webgpu` that judges our WGSL: Dawn, the WebGPU of Chromium.
const DAWN: &str = "0.6.2";

/// Dawn for Node, in a folder of the build's files: that folder.
pub(crate) fn dawn() -> Result<PathBuf> {
    let has = |program: &str| succeeds(&mut command(program, ["--version"]));
    let missing: Vec<&str> = [("node", "nodejs"), ("npm", "npm")]
        .into_iter()
        .filter_map(|(program, package)| (!has(program)).then_some(package))
        .collect();
    if !missing.is_empty() {
        if !has_apt() {
            bail!("WGSL is checked by Dawn in Node: install {}", missing.join(" and "));
        }
        update()?;
        apt_install(&missing)?;
    }
    let folder = target_dir().join("dawn");
    let installed = fs::read_to_string(folder.join("node_modules/webgpu/package.json"));
    if installed.is_ok_and(|text| text.contains(&format!("\"version\": \"{DAWN}\""))) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder)?;
    let package = format!("webgpu@{DAWN}");
    let quiet = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts"];
    run(command("npm", ["install"]).args(quiet).arg(&package).current_dir(&folder))
        .with_context(|| format!("npm's package {package} is needed"))?;
    Ok(folder)
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
