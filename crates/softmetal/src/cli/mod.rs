//! The `softmetal` command: `check` and `run`.

mod arrays;
mod check;
mod npy;
mod run;

use crate::language;
use clap::{Parser, Subcommand};
use std::fmt;
use std::io::Write;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "softmetal",
    version,
    about = "Compile, run and check Metal compute kernels with no Mac"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile every kernel of a file and list its arguments and limits.
    Check(check::Args),
    /// Run one kernel on arrays.
    Run(run::Args),
}

/// Options that say how source is compiled.
#[derive(clap::Args)]
struct Source {
    /// The file with the kernels.
    file: std::path::PathBuf,
    /// A folder searched for includes.
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<std::path::PathBuf>,
    /// A macro: NAME or NAME=VALUE.
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<String>,
    /// The language version, such as 3.1.
    #[arg(long, default_value = "3.2")]
    std: String,
    /// Exact maths in place of fast.
    #[arg(long)]
    no_fast_math: bool,
    /// Take what Apple's compiler would refuse, as far as clang understands it.
    #[arg(long)]
    lenient: bool,
    /// A function constant: INDEX=VALUE or NAME=VALUE (true, 3, 4u, 0.5).
    #[arg(long = "constant", value_name = "N=VALUE")]
    constants: Vec<String>,
    /// A GPU to imitate: m1-8gb, m2-max, m4, m5, a17, intel-amd or paravirtual.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Source {
    /// The device it is for.
    fn device(&self) -> anyhow::Result<crate::DeviceOptions> {
        Ok(match &self.profile {
            Some(name) => crate::DeviceOptions::profile(name)?,
            None => crate::DeviceOptions::default(),
        })
    }

    fn options(&self) -> anyhow::Result<crate::CompileOptions> {
        let define = |d: &String| match d.split_once('=') {
            Some((n, v)) => (n.to_string(), v.to_string()),
            None => (d.clone(), "1".to_string()),
        };
        Ok(crate::CompileOptions {
            include_dirs: self.include.clone(),
            defines: self.define.iter().map(define).collect(),
            language_version: language::version(&self.std).ok_or_else(|| {
                anyhow::anyhow!(
                    "--std takes a version of Metal ({}), also as metal3.1, macos-metal2.4 or ios-metal2.4, not '{}'",
                    language::versions(),
                    self.std
                )
            })?,
            fast_math: !self.no_fast_math,
            lenient: self.lenient,
            ..crate::CompileOptions::default()
        })
    }

    fn constants(&self) -> anyhow::Result<crate::FunctionConstants> {
        let mut out = crate::FunctionConstants::default();
        for c in &self.constants {
            let (name, value) = c
                .split_once('=')
                .ok_or_else(|| anyhow::anyhow!("--constant takes N=VALUE, not '{c}'"))?;
            let value = constant(value)
                .ok_or_else(|| anyhow::anyhow!("'{value}' is no value for a function constant"))?;
            match name.parse::<u32>() {
                Ok(index) => out.set(index, value),
                Err(_) => out.set_named(name, value),
            };
        }
        Ok(out)
    }
}

fn constant(text: &str) -> Option<crate::ConstantValue> {
    use crate::ConstantValue as V;
    Some(match text {
        "true" => V::Bool(true),
        "false" => V::Bool(false),
        _ => match (
            text.parse::<i64>(),
            text.trim_end_matches('u').parse::<u64>(),
            text.parse::<f32>(),
        ) {
            (Ok(i), _, _) => V::Int(i),
            (_, Ok(u), _) => V::UInt(u),
            (_, _, Ok(f)) => V::Float(f),
            _ => return None,
        },
    })
}

/// Prints one line; a full disk or a reader that has gone is an error like any other.
fn line(text: fmt::Arguments<'_>) -> anyhow::Result<()> {
    use anyhow::Context;
    writeln!(std::io::stdout().lock(), "{text}").context("writing to standard output")
}

/// `println!` that can fail.
macro_rules! say {
    ($($text:tt)*) => { super::line(format_args!($($text)*)) };
}
use say;

/// Prints an error; where even that fails, the exit code is all there is.
fn complain(text: impl fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Check(args) => check::check(&args),
        Command::Run(args) => run::run(&args),
    };
    match outcome {
        Ok(code) => code,
        Err(e) => {
            complain(format_args!("{e:#}"));
            ExitCode::from(1)
        }
    }
}
