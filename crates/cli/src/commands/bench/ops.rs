//! `bessemer bench ops`: a roofline of the ops.

use super::{
    gpu_limits,
    limits::Limits,
    measure::{Effort, Measurement, time},
    plot,
    share::{IN_CACHE_MEANS, Share},
    work::{self, Work},
};
use crate::{
    args::Global,
    fault::Fault,
    files::{may_write, write_whole},
    interrupt,
    progress::Progress,
    terminal::tell,
    text::{self, Align, BAD, BOLD, Cell, DIM, GOOD, PLAIN, Table, WARN},
};
use bessemer::{Cost, Device, DeviceInfo};
use bessemer_llm::Cancel;
use clap::{Args, value_parser};
use serde_json::json;
use std::{
    collections::BTreeSet,
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Compare each op with the limits of the machine (roofline)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ops {
    /// Measure only this op
    #[arg(long, value_name = "OP")]
    op: Option<String>,

    /// Measure for about so many seconds, and stop with what there is by then
    #[arg(
        long,
        value_name = "N",
        default_value_t = 90,
        value_parser = value_parser!(u64).range(1..=86400)
    )]
    seconds: u64,

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

The limits of the machine are measured before and after: memory read bandwidth, f32 multiply-adds \
and 8-bit dot products. On a GPU they are measured with its own reads and multiply-adds, without \
dot products. An op's share of the limit is the minimum time to move its bytes and do its \
arithmetic, divided by the time it took; `in cache` means that the op was faster than memory, so \
that its limit does not apply, or that the machine was busy while that was measured. Operands are \
larger than most caches. Ctrl-C stops and prints what was measured. Close other programs for \
reliable results.";

impl Ops {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let works = self.works()?;
        if let Some(path) = &self.svg {
            // Not after minutes of work.
            may_write(path)?;
        }
        let device = global.open()?;
        let cancel = Cancel::new();
        let stoppable = interrupt::stops(&cancel);
        let bar = Progress::new(works.len() + 1);
        bar.at(0, "the machine's limits".into());
        let mut limits = measure_limits(&device)?;
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let times = time_all(&works, &device, end, &cancel, &bar)?;
        if !cancel.is_cancelled() {
            bar.at(works.len(), "the machine's limits again".into());
            limits = limits.max(measure_limits(&device)?);
        }
        drop((bar, stoppable));
        let timed = works.iter().zip(times);
        let results: Vec<_> = timed
            .map(|(work, (cost, seconds))| Measurement::new(work, cost, seconds, &limits))
            .collect();
        if let Some(path) = &self.svg {
            write_whole(path, plot::draw(device.info(), &limits, &results).as_bytes())?;
        }
        if self.json {
            write_json(device.info(), &limits, &results, out)?;
        } else {
            write_text(device.info(), &limits, &results, out)?;
        }
        out.flush()?;
        let (done, all) = (results.len(), works.len());
        if cancel.is_cancelled() {
            tell!("{WARN}stopped: {done} of {all} were measured{WARN:#}");
            return Err(Fault::Interrupted);
        }
        if done < all {
            let seconds = self.seconds;
            tell!(
                "{WARN}{done} of {all} were measured in {seconds} s; --seconds N gives them more time{WARN:#}"
            );
        }
        Ok(())
    }

    fn works(&self) -> Result<Vec<Work>, Fault> {
        let mut works = work::all();
        let Some(op) = &self.op else { return Ok(works) };
        let known: BTreeSet<_> = works.iter().map(|work| work.op).collect();
        works.retain(|work| work.op == op);
        if works.is_empty() {
            let known: Vec<_> = known.into_iter().collect();
            return Err(Fault::usage(format!(
                "--op {op}: nothing to measure; use one of {}",
                known.join(" ")
            )));
        }
        Ok(works)
    }
}

fn measure_limits(device: &Device) -> Result<Limits, Fault> {
    Ok(match device.info().capabilities.host_memory {
        true => Limits::measure(device.info().threads)?,
        false => gpu_limits::measure(device)?,
    })
}

/// The cost and the seconds of one op after the other, until they are done, the time is over, or somebody
/// stops it.
fn time_all(
    works: &[Work],
    device: &Device,
    end: Instant,
    cancel: &Cancel,
    bar: &Progress,
) -> Result<Vec<(Cost, f64)>, Fault> {
    let mut times = Vec::new();
    for (i, work) in works.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        if cancel.is_cancelled() || left.is_zero() {
            break;
        }
        bar.at(i + 1, format!("{} {}", work.op, work.name));
        let effort = Effort::FULL.within(left / (works.len() - i) as u32);
        times.push(time(work, device, effort)?);
        device.trim();
    }
    Ok(times)
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
        let style = match result.share() {
            Share::Of(share) if share >= 0.7 => GOOD,
            Share::InCache => PLAIN,
            Share::Of(share) if share >= 0.3 => PLAIN,
            Share::Of(share) if share >= 0.1 => WARN,
            Share::Of(_) => BAD,
        };
        table.row([
            Cell::new(result.op),
            Cell::new(&result.work),
            Cell::new(text::seconds(result.seconds)),
            Cell::new(format!("{:.1}", result.bytes_per_second() / 1e9)),
            Cell::new(format!("{:.1}", result.flops_per_second() / 1e9)),
            Cell::new(result.share()).style(style),
        ]);
    }
    table.write(out)?;
    if results.iter().any(|result| result.share() == Share::InCache) {
        writeln!(out, "{DIM}{IN_CACHE_MEANS}{DIM:#}")?;
    }
    Ok(())
}
