//! What came out: a table for each part in `README.md`, and all of them as JSON.

use anyhow::{Context, Result};
use bessemer_models_bench::line::{Goal, Line, table};
use serde::Serialize;
use std::{fs, path::Path};

/// What one part of the bench found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The flag that asks for this part.
    #[serde(skip)]
    part: &'static str,
    /// What was measured on what, in a sentence.
    setting: String,
    lines: Vec<Line>,
}

impl Report {
    /// Nothing yet.
    pub(crate) fn new(part: &'static str) -> Report {
        Report { part, setting: String::new(), lines: Vec::new() }
    }

    /// Says what was measured on what.
    pub(crate) fn set(&mut self, setting: String) {
        self.setting = setting;
    }

    /// Adds a line and shows it.
    pub(crate) fn add(
        &mut self,
        file: &str,
        work: &'static str,
        against: &'static str,
        goal: Goal,
        ratio: f64,
        figure: Option<f64>,
    ) {
        let line = Line { file: file.to_owned(), work, against, goal, ratio, figure };
        eprintln!("  {line}");
        self.lines.push(line);
    }

    /// As Markdown.
    pub(crate) fn table(&self) -> String {
        format!("{}\n\n{}", self.setting, table(&self.lines))
    }

    /// Rewrites this part of the page and of the figures beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = folder.join("results.json");
        let mut all: serde_json::Map<_, _> = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string())?,
            Err(_) => Default::default(),
        };
        all.insert(self.part.to_owned(), serde_json::to_value(self)?);
        fs::write(&path, serde_json::to_string_pretty(&all)? + "\n")?;
        let command = format!("cargo xtask bench rwkv --{}", self.part);
        bessemer_bench_page::rewrite(&folder.join("README.md"), &command, &self.table())
    }
}
