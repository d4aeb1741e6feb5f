//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/` one after another, each for an equal share of the
//! time, and tabulates what they did. A target with a finding does not keep the others from running.

mod corpus;
mod report;

use crate::shell::{self, cargo, line, output, root, show, succeeds, target_dir};
use anyhow::{Context, Result, bail};
use report::Report;
use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What to do.
pub(crate) struct Options {
    /// Minutes for all targets together.
    pub(crate) minutes: Option<String>,
    /// Whether the inputs found go to the saved corpora.
    pub(crate) save: bool,
    /// Whether the table of the page is updated.
    pub(crate) markdown: bool,
    /// The targets; all if there are none.
    pub(crate) targets: Vec<String>,
}

/// Minutes if nobody says how many.
const MINUTES: f64 = 12.0;
/// The longest input that is tried.
const LONGEST: usize = 16 << 10;
/// Seconds from which on an input takes too long. Instrumented code is several times slower, so this is
/// far less than a second for users.
const SLOW: u32 = 2;
/// Megabytes from which on an input takes too much memory, with what the sanitizer needs itself.
const MEMORY: u32 = 1024;

/// Runs the targets.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !succeeds(&mut cargo("fuzz --version")) {
        shell::run(&mut cargo("install --locked cargo-fuzz"))?;
    }
    let all = output(&mut fuzz("list", &[]))?;
    let all: Vec<&str> = all.lines().collect();
    if let Some(unknown) = options.targets.iter().find(|name| !all.contains(&name.as_str())) {
        bail!("there is no fuzz target `{unknown}`; there are {}", all.join(", "));
    }
    let minutes = match &options.minutes {
        None => MINUTES,
        Some(text) => match text.parse::<f64>() {
            Ok(minutes) if minutes.is_finite() && minutes > 0.0 => minutes,
            _ => bail!("--minutes {text}: not a number of minutes above 0"),
        },
    };
    let chosen: Vec<&str> = match options.targets.is_empty() {
        true => all,
        false => options.targets.iter().map(String::as_str).collect(),
    };
    let seconds = (minutes * 60.0 / chosen.len() as f64).ceil() as u64;
    shell::run(&mut fuzz("build", &["-O"]))?;
    let programs = programs()?;
    let mut reports = Vec::new();
    for name in &chosen {
        eprintln!("{name}: {seconds} s");
        // What goes wrong with one target is a row of the table, and the others go on.
        reports.push(
            one(&programs.join(name), name, seconds)
                .unwrap_or_else(|error| Report::failed(name, &error)),
        );
        if options.markdown {
            // At once, so that a run that is interrupted has its rows so far.
            report::update(&root().join("docs/security.md"), &reports)?;
        }
        if options.save
            && let Err(error) = corpus::save(&programs.join(name), name)
        {
            eprintln!("{name}: the corpus is as it was: {error:#}");
        }
    }
    println!("{}", report::table(&reports));
    let found: Vec<&Report> = reports.iter().filter(|report| report.finding.is_some()).collect();
    for report in &found {
        eprintln!("{}: {}", report.target, report.finding.as_deref().unwrap_or_default());
    }
    if !found.is_empty() {
        bail!("{} of {} targets have a finding", found.len(), reports.len());
    }
    Ok(())
}

/// Runs one target.
fn one(program: &Path, name: &str, seconds: u64) -> Result<Report> {
    let (found, artifacts) = (folder("corpus", name)?, folder("artifacts", name)?);
    let mut command = libfuzzer(program);
    command.arg(&found).arg(corpus::saved(name)).args([
        format!("-artifact_prefix={}/", artifacts.display()),
        format!("-max_total_time={seconds}"),
        format!("-max_len={LONGEST}"),
        format!("-timeout={SLOW}"),
        format!("-rss_limit_mb={MEMORY}"),
        "-print_final_stats=1".into(),
    ]);
    show(&command);
    let log = folder("logs", name)?.join("log");
    let mut kept = File::create(&log).with_context(|| format!("writing {}", log.display()))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| shell::cannot_start(&command))?;
    let mut report = Report::new(name, seconds);
    let mut lines = BufReader::new(child.stderr.take().context("its stderr was asked for")?);
    let mut text = Vec::new();
    while lines.read_until(b'\n', &mut text)? > 0 {
        kept.write_all(&text)?;
        report.read(&String::from_utf8_lossy(&text));
        text.clear();
    }
    let status = child.wait()?;
    if !status.success() && report.finding.is_none() {
        report.finding = Some(format!("`{}` failed: {status}", line(&command)));
    }
    if let Some(finding) = &mut report.finding {
        finding.push_str(&format!(" (log: {})", log.display()));
    }
    Ok(report)
}

/// cargo-fuzz, on the targets of the repository. Sanitizers are not stable features of the compiler.
fn fuzz(what: &str, args: &[&str]) -> Command {
    let mut command = cargo(&format!("fuzz {what} --fuzz-dir fuzz"));
    command.args(args).env("RUSTC_BOOTSTRAP", "1");
    command
}

/// Where cargo-fuzz puts the targets. They are run from there, not by cargo: a run is of one state of the
/// sources, whatever becomes of them meanwhile.
fn programs() -> Result<PathBuf> {
    let version = output(&mut shell::command("rustc", ["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("`rustc -vV` names no host")?;
    let built = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(built.unwrap_or_else(|| root().join("fuzz/target")).join(host).join("release"))
}

/// A target with libFuzzer in it.
fn libfuzzer(program: &Path) -> Command {
    let mut command = shell::command(program, [""; 0]);
    // Memory that was freed is kept for a while, to find uses of it: a little is enough.
    command.env("ASAN_OPTIONS", "detect_odr_violation=0:quarantine_size_mb=32");
    command
}

/// A folder for the files of a target that are not saved in the repository. They are kept from run to
/// run: a run goes on where the last one ended.
fn folder(what: &str, name: &str) -> Result<PathBuf> {
    let folder = target_dir().join("fuzz").join(what).join(name);
    create(&folder)?;
    Ok(folder)
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))
}
