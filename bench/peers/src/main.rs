//! bessemer measured beside NumPy and the limits of the machine, in one run.
//!
//! `cargo xtask bench` sets up NumPy and starts this. What is compared is in `rows`; how is in
//! `contest` and `timing`; what comes out of it in `report`.

mod contest;
mod memory;
mod numbers;
mod numpy;
mod report;
mod rows;
mod timing;

use anyhow::Result;
use bessemer::{Device, DeviceOptions};
use clap::Parser;
use report::{Line, Report};
use std::path::PathBuf;

/// Threads of both sides.
const THREADS: usize = 2;

/// Measures bessemer beside NumPy; `cargo xtask bench` is the way to call it.
#[derive(Debug, Parser)]
struct Arguments {
    /// A Python that has NumPy.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Rounds of each row; the best one counts.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Only rows whose name contains this; no file is written.
    #[arg(long)]
    only: Option<String>,
    /// Only tell the memory of the fused chain: a process of its own measures it.
    #[arg(long, hide = true)]
    memory: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let options = DeviceOptions { threads: Some(THREADS), ..Default::default() };
    let device = Device::open_with("cpu", &options)?;
    if arguments.memory {
        println!("{}", memory::measure(&device)?);
        return Ok(());
    }
    let mut numpy = numpy::NumPy::start(&arguments.python, THREADS)?;
    let chosen = |name: &str| arguments.only.as_ref().is_none_or(|only| name.contains(only));
    let mut report = Report::new(device.info(), numpy.version()?, arguments.rounds);
    eprintln!("{}", report.setting());
    for row in rows::all().iter().filter(|row| chosen(&row.work)) {
        let outcome = contest::hold(row, &device, &mut numpy, arguments.rounds)?;
        report.add(Line::timed(row, outcome));
    }
    if chosen(memory::WORK) {
        report.add(memory::line()?);
    }
    println!("\n{}", report.verdict());
    if arguments.only.is_none() {
        report.write()?;
    }
    Ok(())
}
