//! What came out: a line for each row, told as text, as a table in `bench/README.md`, as JSON and
//! as a chart.

mod chart;
mod page;

use crate::{contest::Outcome, rows::Row};
use anyhow::{Context, Result};
use bessemer::DeviceInfo;
use serde::Serialize;
use std::{fmt, fs, path::Path};

/// What a row aims at.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// A ratio of speeds.
    AtLeast(f64),
    /// A ratio of sizes.
    AtMost(f64),
}

/// A row with its result.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    work: String,
    against: &'static str,
    goal: Goal,
    /// Of the best rounds.
    ratio: f64,
    /// The median of rounds next to each other, where there are rounds.
    median: Option<f64>,
    passed: bool,
    /// Seconds of our rounds.
    ours: Vec<f64>,
    /// Seconds of the other side's.
    theirs: Vec<f64>,
}

/// The whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    processor: String,
    instructions: String,
    threads: usize,
    peer: String,
    rounds: u32,
    lines: Vec<Line>,
}

impl Goal {
    /// How far above the goal a ratio is: 1 is just there, less is missed.
    pub(crate) fn score(self, ratio: f64) -> f64 {
        match self {
            Goal::AtLeast(least) => ratio / least,
            Goal::AtMost(most) => most / ratio,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::AtLeast(ratio) => write!(f, "≥ {ratio}×"),
            Goal::AtMost(ratio) => write!(f, "≤ {ratio}×"),
        }
    }
}

impl Line {
    /// The result of a row that was timed.
    pub(crate) fn timed(row: &Row, outcome: Outcome) -> Line {
        let (ratio, median) = (outcome.ratio(), Some(outcome.median()));
        let Outcome { ours, theirs } = outcome;
        Line { median, ours, theirs, ..Line::sized(&row.work, row.against, row.goal, ratio) }
    }

    /// The result of a row that was not timed.
    pub(crate) fn sized(work: &str, against: &'static str, goal: Goal, ratio: f64) -> Line {
        let passed = goal.score(ratio) >= 1.0;
        let (ours, theirs) = (Vec::new(), Vec::new());
        Line { work: work.to_owned(), against, goal, ratio, median: None, passed, ours, theirs }
    }

    /// Whether the goal is reached, in a word.
    fn word(&self) -> &'static str {
        if self.passed { "yes" } else { "no" }
    }
}

impl Report {
    /// A run with no rows yet.
    pub(crate) fn new(info: &DeviceInfo, peer: String, rounds: u32) -> Report {
        let (processor, instructions) = (info.name.clone(), info.features.join(", "));
        let threads = info.threads;
        Report { processor, instructions, threads, peer, rounds, lines: Vec::new() }
    }

    /// Adds a row, and tells it at once.
    pub(crate) fn add(&mut self, line: Line) {
        let median = line.median.map_or(String::new(), |median| format!("median {median:.2}×"));
        let Line { work, against, goal, ratio, .. } = &line;
        let (goal, word) = (goal.to_string(), line.word());
        println!("{work:36} {against:26} {ratio:6.2}×  {goal:8} {word:3}  {median}");
        self.lines.push(line);
    }

    /// What was measured where.
    pub(crate) fn setting(&self) -> String {
        let Report { processor, instructions, threads, peer, rounds, .. } = self;
        format!(
            "{processor} with {instructions}, {threads} threads, against {peer}; \
             best of {rounds} rounds of each side in turn"
        )
    }

    /// How many goals were reached.
    pub(crate) fn verdict(&self) -> String {
        let passed = self.lines.iter().filter(|line| line.passed).count();
        format!("{passed} of {} goals reached", self.lines.len())
    }

    /// Writes the table into `bench/README.md`, and `results.json` and `results.svg` beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("lies in bench/");
        let readme = folder.join("README.md");
        let old = fs::read_to_string(&readme).context("reading bench/README.md")?;
        fs::write(readme, page::with_table(&old, self)?)?;
        let json = serde_json::to_string_pretty(self)?;
        fs::write(folder.join("results.json"), json + "\n")?;
        fs::write(folder.join("results.svg"), chart::draw(&self.lines))?;
        println!("bench/README.md, bench/results.json and bench/results.svg are written");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_reached_from_either_side() {
        let passed = |goal, ratio| Line::sized("a", "b", goal, ratio).passed;
        assert!(passed(Goal::AtLeast(1.5), 1.5) && !passed(Goal::AtLeast(1.5), 1.49));
        assert!(passed(Goal::AtMost(1.1), 1.02) && !passed(Goal::AtMost(1.1), 1.2));
    }
}
