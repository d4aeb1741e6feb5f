//! Development tasks: `cargo xtask help` lists them.
//!
//! Each task has its own file. Users of bessemer need nothing from this crate.

mod aarch64;
mod apple;
mod bench;
mod deny;
mod features;
mod flags;
mod fuzz;
mod install;
mod serve_test;
mod shell;
mod steps;
mod summary;
mod support;
mod test;
mod toolchain;
mod wgsl_check;
mod wheel;
mod windows;

use anyhow::{Result, bail};
use flags::Flags;
use std::{env, process::ExitCode};

const HELP: &str = "\
Development tasks of the repository.

Usage: cargo xtask TASK [FLAGS]

  test               install what is missing, lint, and run every test
    --quick          only rustfmt, clippy and the tests, with the widest instruction set only
    --aarch64        also build for 64-bit Arm and run its tests under qemu
    --windows        also build for Windows and run its tests under Wine
  aarch64            only the Arm part of `test --aarch64`
  windows            only the Windows part of `test --windows`
  apple-check        type-check everything for macOS (Arm and x86) and iOS, on any system;
                     `test` does it for macOS on Arm
  wgsl-check         compile every WGSL module of bessemer with Dawn, Chromium's WebGPU, and
                     validate the bindings of every launch; part of `test`
  bench              compare with NumPy and the machine's limits; rewrites bench/README.md
    --rounds N       measure each row N times, at least 1 (default 9)
    --only TEXT      only rows whose name contains TEXT; rewrites no file
  bench models       compare language models with llama.cpp; rewrites bench/models/README.md
                     (the first run builds llama.cpp and model files); same flags
  bench python       compare the Python package with NumPy, torch and MLX on the CPU; rewrites
                     bench/python/README.md; same flags
  bench rwkv         compare RWKV with llama.cpp on the CPU, and count what it does on Metal, in
                     software; rewrites bench/rwkv/README.md; same flags, and
    --cpu            only the CPU beside llama.cpp
    --metal          only what is counted on Metal
    --webgpu         only the WebGPU device, beside web-rwkv on the same adapter
    --quick          one round and shorter texts, to see that it works; rewrites no file
  bench webgpu       compare the WebGPU device with llama.cpp's Vulkan back end and burn on the
                     same adapter; rewrites bench/webgpu/README.md; same flags
  bench metal        count what the Metal device does, in software, and compare whole models with the
                     CPU; rewrites bench/metal/README.md
    --only TEXT      only `figures`, or files whose name contains TEXT; rewrites no file
  support            run the conformance cases on every device and regenerate docs/support.md, the
                     table of supported ops; a test checks that it is up to date
  fuzz [TARGET…]     run the fuzz targets, all or those named, each for an equal share of the time; what they
                     find is in target/fuzz, where the next run goes on from
    --minutes N      minutes for all of them together (default 12)
    --save           keep the smallest inputs that reach as much in fuzz/corpus
    --markdown       update the table of docs/security.md
  wheel              build the Python package, audit it, install it in a clean environment and test it
                     there; PYTHON names the interpreter
    --quick          with the build of the other tests and fewer examples; part of `test`
    --full           also with torch, Dask and Ray
  serve-test         run the official clients of the server's APIs against it, the chat page in
                     Chromium, and requests made up from its OpenAPI document
    --quick          fewer of those; part of `test`
  deny               check licences, advisories, duplicates and sources of dependencies
  help               print this help
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
            let options = test::Options {
                quick: flags.take("--quick"),
                aarch64: flags.take("--aarch64"),
                windows: flags.take("--windows"),
            };
            flags.finish()?;
            test::run(&options)
        }
        "aarch64" => {
            flags.finish()?;
            aarch64::run()
        }
        "windows" => {
            flags.finish()?;
            windows::run()
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
                python: flags.take("python"),
                rwkv: flags.take("rwkv").then(|| bench::Rwkv {
                    cpu: flags.take("--cpu"),
                    metal: flags.take("--metal"),
                    webgpu: flags.take("--webgpu"),
                    quick: flags.take("--quick"),
                }),
                rounds: flags.value("--rounds")?,
                only: flags.value("--only")?,
            };
            flags.finish()?;
            bench::run(&options)
        }
        "support" => {
            flags.finish()?;
            support::run()
        }
        "fuzz" => {
            let options = fuzz::Options {
                minutes: flags.value("--minutes")?,
                save: flags.take("--save"),
                markdown: flags.take("--markdown"),
                targets: flags.rest()?,
            };
            fuzz::run(&options)
        }
        "wheel" => {
            let options =
                wheel::Options { quick: flags.take("--quick"), full: flags.take("--full") };
            flags.finish()?;
            wheel::run(options)
        }
        "serve-test" => {
            let cases = if flags.take("--quick") { serve_test::FEW } else { serve_test::MANY };
            flags.finish()?;
            serve_test::run(serve_test::Options { cases })
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
