//! `bessemer bench ops`: a roofline of the ops.

use super::{
    gpu_limits,
    limits::Limits,
    measure::{Measurement, measure},
    plot, work,
};
use crate::{
    args::Global,
    fault::Fault,
    files::write_whole,
    progress::Progress,
    text::{self, Align, BAD, BOLD, Cell, GOOD, PLAIN, Table, WARN},
};
use bessemer::DeviceInfo;
use clap::Args;
use serde_json::json;
use std::{collections::BTreeSet, io::Write, path::PathBuf};

/// Compare each op with the limits of the machine (roofline)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ops {
    /// Measure only this op
    #[arg(long, value_name = "OP")]
    op: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Also draw the roofline plot into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bessemer bench ops
  bessemer bench ops --op linear --threads 2
  bessemer bench ops --svg ops.svg --json > ops.json

The limits of the machine are measured first: memory read bandwidth, f32 multiply-adds and 8-bit dot
products. On a GPU they are measured with its own reads and multiply-adds, without dot products. An op's
share of the limit is the minimum time to move its bytes and do its arithmetic, divided by the time it
took. Operands are larger than the caches. Close other programs for reliable results.";

impl Ops {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let mut works = work::all();
        if let Some(op) = &self.op {
            let known: BTreeSet<_> = works.iter().map(|work| work.op).collect();
            works.retain(|work| work.op == op);
            if works.is_empty() {
                let known: Vec<_> = known.into_iter().collect();
                let known = known.join(" ");
                return Err(Fault::usage(format!(
                    "nothing to measure for op `{op}`: expected one of {known}"
                )));
            }
        }
        let device = global.open()?;
        let bar = Progress::new(works.len() + 1);
        bar.at(0, "the machine's limits".into());
        let limits = match device.info().capabilities.host_memory {
            true => Limits::measure(device.info().threads)?,
            false => gpu_limits::measure(&device)?,
        };
        let mut results = Vec::new();
        for (i, work) in works.iter().enumerate() {
            bar.at(i + 1, format!("{} {}", work.op, work.name));
            results.push(measure(work, &device, &limits)?);
            device.trim();
        }
        drop(bar);
        if let Some(path) = &self.svg {
            write_whole(path, plot::draw(device.info(), &limits, &results).as_bytes())?;
        }
        if self.json {
            write_json(device.info(), &limits, &results, out)
        } else {
            write_text(device.info(), &limits, &results, out)
        }
    }
}

fn write_json(
    info: &DeviceInfo,
    limits: &Limits,
    results: &[Measurement],
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let value = json!({
        "device": info.kind.name(),
        "hardware": info.name,
        "features": info.features,
        "limits": limits,
        "results": results,
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}

fn write_text(
    info: &DeviceInfo,
    limits: &Limits,
    results: &[Measurement],
    out: &mut dyn Write,
) -> Result<(), Fault> {
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {} ({}, {})",
        info.kind,
        info.name,
        info.features.join(" "),
        text::count(limits.threads, "thread")
    )?;
    writeln!(
        out,
        "limits  read {:.1} GB/s, f32 {:.0} GFLOP/s, 8-bit dot {:.0} GOP/s\n",
        limits.read_bytes / 1e9,
        limits.f32_flops / 1e9,
        limits.int8_ops / 1e9
    )?;
    let right = |name| (name, Align::Right);
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("operands", Align::Left),
        right("time"),
        right("GB/s"),
        right("GFLOP/s"),
        right("of the limit"),
    ]);
    for result in results {
        let style = match result.share_of_limit {
            share if share >= 0.7 => GOOD,
            share if share >= 0.3 => PLAIN,
            share if share >= 0.1 => WARN,
            _ => BAD,
        };
        table.row([
            Cell::new(result.op),
            Cell::new(&result.work),
            Cell::new(text::seconds(result.seconds)),
            Cell::new(format!("{:.1}", result.bytes_per_second() / 1e9)),
            Cell::new(format!("{:.1}", result.flops_per_second() / 1e9)),
            Cell::new(format!("{:.0} %", 100.0 * result.share_of_limit)).style(style),
        ]);
    }
    Ok(table.write(out)?)
}
