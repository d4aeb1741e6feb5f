//! `cargo xtask bench`: gives NumPy or llama.cpp an environment of its own, and runs `bench/peers`,
//! `bench/models`, `bench/python`, `bench/rwkv`, `bench/metal` or `bench/webgpu`.

use crate::{
    install,
    shell::{self, cargo, command, root, succeeds, target_dir},
    wheel,
};
use anyhow::{Result, bail};
use std::{path::PathBuf, process::Command};

/// What and how much to measure.
#[derive(Debug)]
pub(crate) struct Options {
    /// Language models beside llama.cpp, instead of ops beside NumPy.
    pub(crate) models: bool,
    /// The WebGPU device beside others on its adapter.
    pub(crate) webgpu: bool,
    /// What the Metal device does, counted in software.
    pub(crate) metal: bool,
    /// The Python package beside NumPy, torch and MLX.
    pub(crate) python: bool,
    /// RWKV on each device, beside others.
    pub(crate) rwkv: Option<Rwkv>,
    /// Rounds of each row.
    pub(crate) rounds: Option<String>,
    /// Part of the names of the rows to measure.
    pub(crate) only: Option<String>,
}

/// What of `bench/rwkv` to run.
#[derive(Debug)]
pub(crate) struct Rwkv {
    /// The CPU beside llama.cpp.
    pub(crate) cpu: bool,
    /// The Metal device, counted in software.
    pub(crate) metal: bool,
    /// The WebGPU device beside web-rwkv.
    pub(crate) webgpu: bool,
    /// Only to see that it works.
    pub(crate) quick: bool,
}

/// Builds, installs, measures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut bench = if options.models {
        let mut bench = cargo("run --release --locked -p bessemer-models-bench --");
        bench.arg("--python").arg(llama()?);
        bench.arg("--model").arg(smollm2()?);
        bench.arg("--folder").arg(target_dir().join("bench-models"));
        bench
    } else if let Some(parts) = &options.rwkv {
        rwkv(parts)?
    } else if options.python {
        package()?
    } else if options.webgpu {
        webgpu()?
    } else if options.metal {
        install::clang()?;
        let mut bench = cargo("run --release --locked -p bessemer-metal-bench --");
        bench.arg("--model").arg(smollm2()?);
        bench.arg("--folder").arg(target_dir().join("bench-metal"));
        bench
    } else {
        let mut bench = cargo("run --release --locked -p bessemer-peers --");
        bench.arg("--python").arg(python("bench-python", "bench/requirements.txt", &[])?);
        bench
    };
    for (name, value) in [("--rounds", &options.rounds), ("--only", &options.only)] {
        if let Some(value) = value {
            bench.args([name, value]);
        }
    }
    shell::run(&mut bench)
}

/// RWKV on the devices that were asked for; what each of them needs is installed or built first.
fn rwkv(parts: &Rwkv) -> Result<Command> {
    let mut bench = cargo("run --release --locked -p bessemer-rwkv-bench --");
    bench.arg("--folder").arg(target_dir().join("bench-rwkv"));
    // Building web-rwkv takes a while, so it must be asked for.
    let usual = !(parts.cpu || parts.metal || parts.webgpu);
    if parts.cpu || usual {
        bench.arg("--cpu").arg("--python").arg(llama()?);
    }
    if parts.metal || usual {
        install::clang()?;
        bench.arg("--metal");
    }
    if parts.webgpu {
        install::vulkan()?;
        let peer = target_dir().join("web-rwkv-peer");
        let build = "build --release --locked --manifest-path bench/rwkv/web-rwkv/Cargo.toml";
        shell::run(cargo(build).env("CARGO_TARGET_DIR", &peer))?;
        bench.arg("--webgpu").arg(peer.join("release/bessemer-web-rwkv-peer"));
    }
    if parts.quick {
        bench.arg("--quick");
    }
    Ok(bench)
}

/// A Python with llama.cpp, which is built for this machine, as bessemer chooses its code for it.
fn llama() -> Result<PathBuf> {
    let native = [("CMAKE_ARGS", "-DGGML_NATIVE=ON")];
    python("bench-llama", "bench/models/requirements.txt", &native)
}

/// The Python package, as people install it, in an environment with those it is measured beside.
fn package() -> Result<Command> {
    let python = python("bench-arrays", "bench/python/requirements.txt", &[])?;
    let wheel = wheel::release()?;
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    shell::run(command(&python, install).arg(wheel))?;
    Ok(command(python, [root().join("bench/python/measure.py")]))
}

/// The WebGPU device beside llama.cpp's Vulkan, on the formats that are there, and beside burn.
fn webgpu() -> Result<Command> {
    if install::has_apt() {
        install::apt_install(&["glslc", "libvulkan-dev", "mesa-vulkan-drivers"])?;
    }
    let burn = target_dir().join("burn-peer");
    let mut build = cargo("build --release --locked --manifest-path bench/webgpu/burn/Cargo.toml");
    shell::run(build.env("CARGO_TARGET_DIR", &burn))?;
    let mut bench = cargo("run --release --locked -p bessemer-webgpu-bench --");
    let vulkan = [("CMAKE_ARGS", "-DGGML_VULKAN=ON -DGGML_NATIVE=ON")];
    bench.arg("--python").arg(python("bench-vulkan", "bench/webgpu/requirements.txt", &vulkan)?);
    bench.arg("--burn").arg(burn.join("release/bessemer-burn-peer"));
    bench.arg("--model").arg(smollm2()?);
    // Made by `cargo xtask bench models`.
    for (flag, kind) in [("--model", "Q8_0"), ("--text", "Q4_K_M"), ("--text", "F16")] {
        let file = target_dir().join(format!("bench-models/smollm2.{kind}.gguf"));
        if file.exists() {
            bench.arg(flag).arg(file);
        }
    }
    Ok(bench)
}

/// SmolLM2 in a folder of models of its own.
fn smollm2() -> Result<PathBuf> {
    let folder = target_dir().join("bench-models");
    let mut pull = cargo("run --release --locked -p bessemer-cli -- pull smollm2");
    shell::run(pull.env("BESSEMER_MODELS", &folder))?;
    Ok(folder.join("smollm2.gguf"))
}

/// The Python of a virtual environment called `name` that has what a file asks for.
fn python(name: &str, requirements: &str, variables: &[(&str, &str)]) -> Result<PathBuf> {
    let home = target_dir().join(name);
    let python = home.join("bin/python");
    if !succeeds(&mut command(&python, ["-m", "pip", "--version"])) {
        if !succeeds(&mut command("python3", ["-m", "ensurepip", "--version"])) {
            if !install::has_apt() {
                bail!("others are measured beside us: this needs python3 with its venv module");
            }
            install::update()?;
            install::apt_install(&["python3", "python3-venv"])?;
        }
        shell::run(command("python3", ["-m", "venv", "--clear"]).arg(&home))?;
    }
    let mut install = command(&python, ["-m", "pip", "install", "--quiet", "--requirement"]);
    install.arg(root().join(requirements)).envs(variables.iter().copied());
    shell::run(&mut install)?;
    Ok(python)
}
