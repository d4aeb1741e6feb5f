//! `bessemer devices`: what is here, what each can do, and what `auto` takes.

use crate::{
    args::Threads,
    fault::Fault,
    text::{self, Align, BAD, BOLD, Cell, DIM, GOOD, PLAIN, Table, WARN},
};
use bessemer::{Device, DeviceOptions, Finding, QuickCheck, Survey};
use bessemer_simd::Isa;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

/// List the devices of this machine, and which one `auto` picks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Devices {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Also show device details and the cases of the quick check
    #[arg(long, short)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer devices
  bessemer devices --verbose
  bessemer devices --json | jq -r .chosen";

impl Devices {
    pub(crate) fn run(self, threads: Threads, out: &mut dyn Write) -> Result<(), Fault> {
        let options = DeviceOptions { threads: threads.threads, ..Default::default() };
        let survey = Device::survey(&options);
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &to_json(&survey))?;
            return Ok(writeln!(out)?);
        }
        write_here(&survey, out)?;
        let absent = survey.findings.iter().filter(|finding| finding.info.is_none());
        for (i, finding) in absent.enumerate() {
            if i == 0 {
                writeln!(out, "\n{BOLD}not available{BOLD:#}")?;
            }
            writeln!(out, "{}: {}", finding.kind, finding.refusal.as_deref().unwrap_or("absent"))?;
        }
        if self.verbose {
            write_details(&survey, out)?;
        }
        match survey.chosen() {
            Some(finding) => writeln!(out, "\n`auto` picks {BOLD}{}{BOLD:#}.", finding.kind)?,
            None => writeln!(out, "\n{BAD}`auto` finds no device.{BAD:#}")?,
        }
        Ok(())
    }
}

fn write_here(survey: &Survey, out: &mut dyn Write) -> Result<(), Fault> {
    let left = |name| (name, Align::Left);
    let right = |name| (name, Align::Right);
    let mut table = Table::new(&[
        left("device"),
        left("hardware"),
        left("features"),
        right("threads"),
        right("memory"),
        left("quick check"),
        left("`auto`"),
    ]);
    for finding in &survey.findings {
        let Some(info) = &finding.info else { continue };
        let passed = finding.check.as_ref().map(|check| check.report.passed());
        let chosen = survey.chosen().is_some_and(|chosen| chosen.kind == finding.kind);
        let style = match passed {
            None => DIM,
            Some(true) => GOOD,
            Some(false) => BAD,
        };
        let verdict = match &finding.refusal {
            None if chosen => Cell::new("picked").style(GOOD),
            None => Cell::new("another is preferred").style(DIM),
            Some(why) if passed == Some(false) => Cell::new(format!("no: {why}")).style(WARN),
            Some(why) => Cell::new(format!("no: {why}")).style(DIM),
        };
        table.row([
            Cell::new(info.kind).style(if chosen { BOLD } else { PLAIN }),
            Cell::new(&info.name),
            Cell::new(info.features.join(" ")),
            Cell::new(info.threads),
            Cell::new(text::bytes(info.memory_limit)),
            Cell::new(finding.check.as_deref().map_or("not run".into(), summary)).style(style),
            verdict,
        ]);
    }
    Ok(table.write(out)?)
}

fn summary(check: &QuickCheck) -> String {
    let (total, troubles) = (check.report.results.len(), check.report.troubles().count());
    let time = check.time.as_secs_f64() * 1e3;
    match troubles {
        0 => format!("passed {total} in {time:.1} ms"),
        _ => format!("{troubles} of {total} failed"),
    }
}

fn write_details(survey: &Survey, out: &mut dyn Write) -> Result<(), Fault> {
    let isas: Vec<_> = Isa::here().map(Isa::name).collect();
    writeln!(out, "\n{BOLD}CPU instruction sets{BOLD:#}\n{}", isas.join(" "))?;
    for finding in survey.findings.iter().filter(|finding| !finding.details.is_empty()) {
        writeln!(out, "\n{BOLD}{}{BOLD:#}\n{}", finding.kind, finding.details.join("\n"))?;
    }
    for finding in &survey.findings {
        let Some(check) = &finding.check else { continue };
        writeln!(out, "\n{BOLD}quick check of {}{BOLD:#}", finding.kind)?;
        for result in &check.report.results {
            let style = if result.passed() { PLAIN } else { BAD };
            writeln!(out, "{}: {}: {style}{}{style:#}", result.op, result.case, result.outcome)?;
        }
    }
    Ok(())
}

fn to_json(survey: &Survey) -> Value {
    json!({
        "chosen": survey.chosen().map(|finding| finding.kind.name()),
        "instruction_sets": Isa::here().map(Isa::name).collect::<Vec<_>>(),
        "devices": survey.findings.iter().map(finding_to_json).collect::<Vec<_>>(),
    })
}

fn finding_to_json(finding: &Finding) -> Value {
    let info = finding.info.as_ref();
    json!({
        "device": finding.kind.name(),
        "available": info.is_some(),
        "hardware": info.map(|info| &info.name),
        "features": info.map(|info| &info.features),
        "threads": info.map(|info| info.threads),
        "memory_limit": info.map(|info| info.memory_limit),
        "software": info.map(|info| info.software),
        "details": finding.details,
        "refusal": finding.refusal,
        "quick_check": finding.check.as_ref().map(|check| json!({
            "passed": check.report.passed(),
            "milliseconds": check.time.as_secs_f64() * 1e3,
            "results": check.report.results,
        })),
    })
}
