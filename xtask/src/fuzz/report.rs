//! What a target did, read from libFuzzer's output, and the table of all.

use anyhow::{Context, Result};
use std::{collections::BTreeMap, fs, path::Path};

/// What one target did.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) target: String,
    seconds: u64,
    executions: u64,
    edges: u64,
    features: u64,
    /// What went wrong first.
    pub(super) finding: Option<String>,
}

const HEAD: &str = "\
| target | seconds | executions | per second | edges | features | findings |
| --- | --- | --- | --- | --- | --- | --- |
";

/// What stands around the table in the page.
const BEGIN: &str = "<!-- fuzz table: `cargo xtask fuzz --markdown` writes it -->\n";
const END: &str = "<!-- end of the fuzz table -->";

impl Report {
    pub(super) fn new(target: &str, seconds: u64) -> Report {
        Report { target: target.to_owned(), seconds, ..Report::default() }
    }

    /// Of a target that could not be run.
    pub(super) fn failed(target: &str, error: &anyhow::Error) -> Report {
        Report { finding: Some(format!("{error:#}")), ..Report::new(target, 0) }
    }

    /// Takes what a line of libFuzzer's output says.
    pub(super) fn read(&mut self, line: &str) {
        let line = line.trim_end();
        let after = |word: &str| {
            let rest = line.split_once(word)?.1.trim_start();
            rest.split_whitespace().next()?.parse().ok()
        };
        if let Some(number) = after("stat::number_of_executed_units:") {
            self.executions = number;
        }
        // `#1234  NEW    cov: 560 ft: 1200 corp: 80/3Kb …`
        if line.starts_with('#') {
            self.executions = after("#").unwrap_or(self.executions);
            self.edges = after(" cov:").unwrap_or(self.edges);
            self.features = after(" ft:").unwrap_or(self.features);
        }
        let first = self.finding.is_none();
        if first && (line.contains("panicked at") || line.contains("ERROR: ")) {
            self.finding = Some(line.to_owned());
        }
        if let (Some(finding), Some((_, path))) =
            (&mut self.finding, line.split_once("Test unit written to "))
        {
            finding.push_str(&format!(" (input: {path})"));
        }
    }

    fn row(&self) -> String {
        let Report { target, seconds, executions, edges, features, finding } = self;
        let speed = executions / (*seconds).max(1);
        let findings = u8::from(finding.is_some());
        format!(
            "| `{target}` | {seconds} | {executions} | {speed} | {edges} | {features} | {findings} |"
        )
    }
}

/// All rows.
pub(super) fn table(reports: &[Report]) -> String {
    HEAD.to_owned() + &reports.iter().map(|report| report.row() + "\n").collect::<String>()
}

/// Puts the rows into the table of a page. Those of targets that were not run stay.
pub(super) fn update(page: &Path, reports: &[Report]) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let text = updated(&text, reports)
        .with_context(|| format!("{} has no fuzz table to update", page.display()))?;
    fs::write(page, text).with_context(|| format!("writing {}", page.display()))
}

fn updated(text: &str, reports: &[Report]) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (table, after) = rest.split_once(END)?;
    let mut rows: BTreeMap<&str, String> = table
        .lines()
        .filter(|row| row.starts_with("| `"))
        .filter_map(|row| Some((row.split('`').nth(1)?, row.to_owned())))
        .collect();
    rows.extend(reports.iter().map(|report| (report.target.as_str(), report.row())));
    let rows: String = rows.values().map(|row| format!("{row}\n")).collect();
    Some(format!("{before}{BEGIN}{HEAD}{rows}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: &[&str]) -> Report {
        let mut report = Report::new("gguf", 10);
        lines.iter().for_each(|line| report.read(line));
        report
    }

    #[test]
    fn counts_are_read() {
        let found = report(&[
            "INFO: Running with entropic power schedule (0xFF, 100).",
            "#2\tINITED cov: 9 ft: 10 corp: 1/1b exec/s: 0 rss: 40Mb\n",
            "#4096\tpulse  cov: 560 ft: 1201 corp: 80/3Kb lim: 40 exec/s: 2048 rss: 51Mb",
            "Done 5000 runs in 10 second(s)",
            "stat::number_of_executed_units: 5000",
        ]);
        assert_eq!(found.row(), "| `gguf` | 10 | 5000 | 500 | 560 | 1201 | 0 |");
    }

    #[test]
    fn a_finding_is_named_with_its_input() {
        let found = report(&[
            "#77\tNEW    cov: 5 ft: 6 corp: 1/1b",
            "thread '<unnamed>' (1) panicked at crates/llm/src/x.rs:1:2:",
            "==9== ERROR: libFuzzer: deadly signal",
            "artifact_prefix='a/'; Test unit written to a/crash-1",
        ]);
        let finding = found.finding.as_deref().unwrap();
        assert!(
            finding.contains("x.rs:1:2") && finding.ends_with("(input: a/crash-1)"),
            "{finding}"
        );
        assert_eq!(found.row(), "| `gguf` | 10 | 77 | 7 | 5 | 6 | 1 |");
    }

    #[test]
    fn rows_of_other_targets_stay() {
        let page = format!("A\n{BEGIN}{HEAD}| `npy` | 1 | 2 | 2 | 3 | 4 | 0 |\n{END}\nB\n");
        let page = updated(&page, &[Report::new("gguf", 3)]).unwrap();
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(rows[0], "| `gguf` | 3 | 0 | 0 | 0 | 0 | 0 |");
        assert_eq!(rows[1], "| `npy` | 1 | 2 | 2 | 3 | 4 | 0 |");
        assert!(page.starts_with("A\n") && page.ends_with("\nB\n"));
        assert_eq!(updated("nothing", &[]), None);
    }
}
