//! What came out, as a table in `README.md` and as JSON.

use anyhow::Result;
use serde::Serialize;
use std::{fmt, fs, path::Path};

/// One measurement. What was not measured, or has no goal, is missing.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    name: String,
    what: &'static str,
    ours: f64,
    against: Option<&'static str>,
    theirs: Option<f64>,
    /// Ours over theirs.
    ratio: Option<f64>,
    goal: Option<String>,
    reached: Option<bool>,
}

impl Line {
    /// A figure of both sides, with a goal for ours.
    pub(crate) fn against(
        name: &str,
        what: &'static str,
        against: &'static str,
        goal: f64,
        figures: [f64; 2],
    ) -> Line {
        let line = Line::both(name, what, against, figures);
        Line { goal: Some(format!("≥ {goal}")), reached: Some(figures[0] >= goal), ..line }
    }

    /// A figure of both sides, with a goal for how many times theirs ours is.
    pub(crate) fn ratio(
        name: &str,
        what: &'static str,
        against: &'static str,
        goal: f64,
        figures: [f64; 2],
    ) -> Line {
        let line = Line::both(name, what, against, figures);
        let reached = line.ratio.map(|ratio| ratio >= goal);
        Line { goal: Some(format!("≥ {goal:.1}×")), reached, ..line }
    }

    fn both(name: &str, what: &'static str, against: &'static str, figures: [f64; 2]) -> Line {
        let [ours, theirs] = figures;
        let theirs = Some(theirs).filter(|&theirs| theirs > 0.0);
        Line {
            name: name.to_owned(),
            what,
            ours,
            against: theirs.map(|_| against),
            theirs,
            ratio: theirs.map(|theirs| ours / theirs),
            goal: None,
            reached: None,
        }
    }

    /// A count that is to be small.
    pub(crate) fn at_most(name: &str, what: &'static str, goal: f64, ours: f64) -> Line {
        let line = Line::counted(name, what, ours);
        Line { goal: Some(format!("≤ {goal}")), reached: Some(ours <= goal), ..line }
    }

    /// A count that is to be as large as it can be.
    pub(crate) fn at_least(name: &str, what: &'static str, goal: usize, ours: usize) -> Line {
        let line = Line::counted(name, what, ours as f64);
        Line { goal: Some(format!("≥ {goal}")), reached: Some(ours >= goal), ..line }
    }

    /// A count.
    pub(crate) fn counted(name: &str, what: &'static str, ours: f64) -> Line {
        Line::both(name, what, "", [ours, 0.0])
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { name, what, ours, against, theirs, ratio, goal, reached } = self;
        let figure = |figure: &Option<f64>| figure.map(|x| format!("{x:.1}")).unwrap_or_default();
        let reached = reached.map_or("", |reached| if reached { "yes" } else { "no" });
        write!(
            f,
            "| {name} | {what} | {ours:.1} | {} | {} | {} | {} | {reached} |",
            against.unwrap_or_default(),
            figure(theirs),
            figure(ratio),
            goal.as_deref().unwrap_or_default()
        )
    }
}

/// The whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) adapter: String,
    pub(crate) rounds: usize,
    pub(crate) peers: Vec<String>,
    pub(crate) lines: Vec<Line>,
}

impl Report {
    /// Notes who else was measured.
    pub(crate) fn peer(&mut self, version: &str) {
        if !self.peers.iter().any(|peer| peer == version) {
            self.peers.push(version.to_owned());
        }
    }

    /// As Markdown.
    pub(crate) fn table(&self) -> String {
        let Report { adapter, rounds, peers, lines } = self;
        let peers = if peers.is_empty() { "no other engine".to_owned() } else { peers.join(", ") };
        let mut text = format!(
            "On {adapter}, compared with {peers}; best of {rounds} rounds of each side in turn.\n\n\
             | work | what | ours | against | theirs | ratio | goal | reached |\n\
             | --- | --- | ---: | --- | ---: | ---: | ---: | :---: |\n"
        );
        lines.iter().for_each(|line| text += &format!("{line}\n"));
        text
    }

    /// Rewrites the page and the figures beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::write(folder.join("results.json"), serde_json::to_string_pretty(self)? + "\n")?;
        bessemer_bench_page::rewrite(
            &folder.join("README.md"),
            "cargo xtask bench webgpu",
            &self.table(),
        )
    }
}
