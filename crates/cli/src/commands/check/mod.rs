//! `bessemer check`: holds a device to the reference, op by op.

mod hot;
mod kernels;
mod page;
mod private;

use crate::{
    args::Global,
    fault::Fault,
    files::{may_write, write_whole},
    progress::Progress,
    text::{self, Align, BAD, BOLD, Cell, DIM, GOOD, PLAIN, Table, WARN},
};
use bessemer::{
    Device, DeviceChoice,
    conformance::{Report, Selection, check, support_table},
    ops::case::Case,
};
use clap::Args;
use serde_json::json;
use std::{io::Write, path::PathBuf, time::Instant};

/// Test a device against the reference, op by op
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Run only the cases of this op
    #[arg(long, value_name = "OP")]
    op: Option<String>,

    /// Run only the quick cases, which `auto` runs before it picks a device
    #[arg(long)]
    quick: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Print docs/support.md: the dtypes each op supports on each kind of device
    #[arg(long, conflicts_with_all = ["json", "op", "quick"])]
    markdown: bool,

    /// Also write a report for bessemer's developers to FILE: the device and its limits, each kernel,
    /// the results, the speed of hot kernels, and a generated text; it has no private data
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    report: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bessemer check                               the device that `auto` picks
  bessemer check --device cpu --op linear
  bessemer check --quick --json | jq .passed
  bessemer check --device metal --report mac.md
  BESSEMER_ISA=portable bessemer check --device cpu

Exit code: 0 if all cases pass, 1 if not.";

impl Check {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let mut selection = if self.quick { Selection::quick() } else { Selection::all() };
        if let Some(op) = &self.op {
            selection = selection.op(op);
        }
        let cases = selection.cases()?;
        if cases.is_empty() {
            let op = self.op.unwrap_or_default();
            return Err(Fault::usage(format!(
                "--quick: {op} has no quick cases; leave out --quick"
            )));
        }
        if self.markdown {
            return write_support(global, &cases, out);
        }
        if let Some(path) = &self.report {
            // Not after minutes of work.
            may_write(path)?;
        }
        let device = global.open()?;
        let start = Instant::now();
        let report = check_with_bar(&device, &cases);
        let seconds = start.elapsed().as_secs_f64();
        if let Some(path) = &self.report {
            write_whole(path, page::page(&device, &report, seconds).as_bytes())?;
        }
        if self.json {
            write_json(&report, seconds, out)?;
        } else {
            write_text(&report, seconds, out)?;
        }
        if report.passed() { Ok(()) } else { Err(Fault::Told) }
    }
}

fn check_with_bar(device: &Device, cases: &[Case]) -> Report {
    let bar = Progress::new(cases.len());
    check(&***device, cases, |progress| {
        let trouble = match progress.troubles {
            0 => String::new(),
            n => format!("{n} failed; "),
        };
        bar.at(progress.done, format!("{trouble}{}: {}", progress.case.op, progress.case.name));
    })
}

fn write_support(global: &Global, cases: &[Case], out: &mut dyn Write) -> Result<(), Fault> {
    let mut reports = Vec::new();
    use DeviceChoice::{Cpu, Metal, Reference, WebGpu};
    for choice in [Reference, Cpu, Metal, WebGpu] {
        let device = Device::open_with(choice, &global.options())?;
        reports.push(check_with_bar(&device, cases));
    }
    Ok(out.write_all(support_table(&reports).as_bytes())?)
}

fn write_json(report: &Report, seconds: f64, out: &mut dyn Write) -> Result<(), Fault> {
    let value = json!({
        "passed": report.passed(),
        "seconds": seconds,
        "summary": report.rows(),
        "report": report,
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}

fn write_text(report: &Report, seconds: f64, out: &mut dyn Write) -> Result<(), Fault> {
    let features = report.features.join(" ");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {} ({features}, {})\n",
        report.device,
        report.hardware,
        text::count(report.threads, "thread")
    )?;
    let right = |name| (name, Align::Right);
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("dtype", Align::Left),
        right("passed"),
        right("failed"),
        right("unsupported"),
        right("worst nmse"),
        right("worst error"),
    ]);
    let mut last = "";
    for row in report.rows() {
        let style = |n: usize, style| if n > 0 { style } else { DIM };
        let far = |value: f64| if value == 0.0 { "exact".into() } else { format!("{value:.1e}") };
        table.row([
            Cell::new(if row.op == last { "" } else { row.op }),
            Cell::new(row.dtype),
            Cell::new(row.passed).style(style(row.passed, GOOD)),
            Cell::new(row.failed).style(style(row.failed, BAD)),
            Cell::new(row.refused).style(style(row.refused, WARN)),
            Cell::new(far(row.nmse)).style(PLAIN),
            Cell::new(far(row.max_abs)).style(PLAIN),
        ]);
        last = row.op;
    }
    table.write(out)?;
    let troubles = report.troubles().count();
    if troubles > 0 {
        writeln!(out)?;
    }
    for result in report.troubles() {
        writeln!(out, "{BAD}{}{BAD:#}: {}: {}", result.op, result.case, result.outcome)?;
    }
    let total = text::count(report.results.len(), "case");
    match troubles {
        0 => writeln!(out, "\n{GOOD}all {total} passed{GOOD:#} in {seconds:.2} s")?,
        n => writeln!(out, "\n{BAD}{n} of {total} failed{BAD:#} in {seconds:.2} s")?,
    }
    Ok(())
}
