//! Chores of the repository: `cargo xtask help` lists them.
//!
//! Each chore is a file of its own. Nothing that a user of bessemer needs lives here.

mod aarch64;
mod apple;
mod bench;
mod deny;
mod features;
mod flags;
mod install;
mod shell;
mod steps;
mod summary;
mod support;
mod test;
mod toolchain;
mod wgsl_check;

use anyhow::{Result, bail};
use flags::Flags;
use std::{env, process::ExitCode};

const HELP: &str = "\
Chores of the repository.

Usage: cargo xtask CHORE [FLAGS]

  test               install what is missing, lint, and run every test
    --quick          only rustfmt, clippy and the tests, with the widest instruction set
    --aarch64        also build for 64-bit Arm and run its tests under qemu
  aarch64            the Arm part of `test --aarch64` alone
  apple-check        type-check everything for macOS (both processors) and iOS, from any system;
                     `test` does it for macOS on Arm
  wgsl-check         let Dawn, the WebGPU of Chromium, compile every WGSL module that bessemer makes,
                     and check what every launch binds; part of `test`
  bench              measure against NumPy and the machine's limits; rewrites bench/README.md
    --rounds N       rounds of each row, at least 1 (default 9)
    --only TEXT      only rows whose name contains TEXT; rewrites nothing
  bench models       measure language models against llama.cpp; rewrites bench/models/README.md
                     (builds llama.cpp and makes files the first time); flags as above
  bench webgpu       measure the WebGPU device against llama.cpp's Vulkan and burn on its adapter;
                     rewrites bench/webgpu/README.md; flags as above
  bench metal        count what the Metal device does, in software, and compare whole models with the
                     CPU; rewrites bench/metal/README.md
    --only TEXT      only `figures`, or files whose name contains TEXT; rewrites nothing
  support            make docs/support.md, the table of supported ops, anew
    --check          only look whether it is current
  deny               licences, advisories, duplicates and sources of dependencies
  help               this text
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut args = env::args().skip(1);
    let chore = args.next().unwrap_or_else(|| "help".to_owned());
    let mut flags = Flags::new(args);
    match chore.as_str() {
        "test" => {
            let options =
                test::Options { quick: flags.take("--quick"), aarch64: flags.take("--aarch64") };
            flags.finish()?;
            test::run(&options)
        }
        "aarch64" => {
            flags.finish()?;
            aarch64::run()
        }
        "apple-check" => {
            flags.finish()?;
            apple::run()
        }
        "wgsl-check" => {
            flags.finish()?;
            wgsl_check::run()
        }
        "bench" => {
            let options = bench::Options {
                models: flags.take("models"),
                webgpu: flags.take("webgpu"),
                metal: flags.take("metal"),
                rounds: flags.value("--rounds")?,
                only: flags.value("--only")?,
            };
            flags.finish()?;
            bench::run(&options)
        }
        "support" => {
            let check = flags.take("--check");
            flags.finish()?;
            support::run(check)
        }
        "deny" => {
            flags.finish()?;
            deny::run()
        }
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("there is no chore `{other}`; `cargo xtask help` lists them"),
    }
}
