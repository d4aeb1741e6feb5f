//! What came out, as a table in `README.md` and as JSON.

use crate::bandwidth::Reading;
use anyhow::Result;
use serde::Serialize;
use std::{fmt, fs, path::Path};

/// What a line aims at.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
    /// Nothing: for comparison.
    None,
}

impl Goal {
    /// Whether it is reached, if there is one.
    fn reached(self, ratio: f64) -> Option<bool> {
        match self {
            Goal::AtLeast(goal) => Some(ratio >= goal),
            Goal::AtMost(goal) => Some(ratio <= goal),
            Goal::None => None,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::AtLeast(goal) => write!(f, "≥ {goal}"),
            Goal::AtMost(goal) => write!(f, "≤ {goal}"),
            Goal::None => Ok(()),
        }
    }
}

/// One measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) work: &'static str,
    pub(crate) against: &'static str,
    pub(crate) goal: Goal,
    pub(crate) ratio: f64,
    /// Ours by itself: tokens per second, or a perplexity.
    pub(crate) figure: Option<f64>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { file, work, against, goal, ratio, figure } = self;
        let figure = figure.map(|figure| format!("{figure:.1}")).unwrap_or_default();
        let reached = match goal.reached(*ratio) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        };
        write!(f, "| {file} | {work} | {figure} | {against} | {ratio:.3} | {goal} | {reached} |")
    }
}

/// The whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) peer: String,
    pub(crate) threads: usize,
    pub(crate) rounds: usize,
    /// Bytes per second that can be read.
    pub(crate) bandwidth: Reading,
    pub(crate) lines: Vec<Line>,
}

impl Report {
    /// As Markdown.
    pub(crate) fn table(&self) -> String {
        let Report { peer, threads, rounds, bandwidth, lines } = self;
        let mut text = format!(
            "Against {peer}, {threads} threads, best of {rounds} rounds of each side in turn; \
             memory can be read at {:.1} GB/s, in pages of 2 MB at {:.1}.\n\n\
             | file | what | ours | against | ratio | goal | reached |\n\
             | --- | --- | ---: | --- | ---: | ---: | :---: |\n",
            bandwidth.small_pages / 1e9,
            bandwidth.large_pages / 1e9
        );
        lines.iter().for_each(|line| text += &format!("{line}\n"));
        let goals = lines.iter().filter_map(|line| line.goal.reached(line.ratio));
        let (all, reached) = (goals.clone().count(), goals.filter(|&reached| reached).count());
        text + &format!("\n{reached} of {all} goals reached.\n")
    }

    /// Rewrites the page and the figures beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::write(folder.join("results.json"), serde_json::to_string_pretty(self)? + "\n")?;
        bessemer_bench_page::rewrite(
            &folder.join("README.md"),
            "cargo xtask bench models",
            &self.table(),
        )
    }
}
