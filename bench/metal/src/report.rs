//! What was counted, as tables in `README.md` and as JSON.

use crate::agreement::LENGTH;
use anyhow::{Result, bail};
use serde::Serialize;
use std::{fs, path::Path};

/// Logits on Metal may differ by so much of their spread from those of the same weights in f32.
const MOST_ERROR: f64 = 0.01;
/// And by so much from the CPU's, which rounds activations to 8 bits where weights are quantised.
const MOST_ERROR_TO_CPU: f64 = 0.25;

/// A count, or a ratio of counts.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    what: &'static str,
    /// What it is counted by, or divided by.
    over: &'static str,
    at_most: Option<f64>,
    counted: f64,
}

impl Figure {
    pub(crate) fn at_most(
        what: &'static str,
        over: &'static str,
        most: f64,
        counted: f64,
    ) -> Figure {
        Figure { what, over, at_most: Some(most), counted }
    }

    /// A figure that aims at nothing.
    pub(crate) fn known(what: &'static str, over: &'static str, counted: f64) -> Figure {
        Figure { what, over, at_most: None, counted }
    }

    fn reached(&self) -> Option<bool> {
        self.at_most.map(|most| self.counted <= most)
    }

    pub(crate) fn row(&self) -> String {
        let Figure { what, over, counted, .. } = self;
        let most = self.at_most.map(|most| most.to_string()).unwrap_or_default();
        let reached = match self.reached() {
            None => "",
            Some(true) => "yes",
            Some(false) => "no",
        };
        let counted = match counted.fract() == 0.0 {
            true => counted.to_string(),
            false => format!("{counted:.3}"),
        };
        format!("| {what} | {over} | {counted} | {most} | {reached} |\n")
    }
}

/// A text that a model wrote on Metal, against the same model elsewhere.
#[derive(Debug, Serialize)]
pub(crate) struct Text {
    pub(crate) file: &'static str,
    pub(crate) prompt: &'static str,
    /// What it wrote.
    pub(crate) words: String,
    /// Tokens that the CPU would have chosen too, up to the first it would not.
    pub(crate) same_as_cpu: usize,
    /// The same for the weights in f32.
    pub(crate) same_as_exact: usize,
    pub(crate) error_to_cpu: f64,
    pub(crate) error_to_exact: f64,
    /// Where the CPU chooses another token: how much more it likes that one.
    pub(crate) gap: Option<f64>,
}

impl Text {
    pub(crate) fn row(&self) -> String {
        let Text { file, prompt, same_as_cpu, same_as_exact, error_to_cpu, error_to_exact, .. } =
            self;
        let gap = self.gap.map(|gap| format!(" (by {gap:.3})")).unwrap_or_default();
        format!(
            "| {file} | {prompt} | {same_as_exact} | {error_to_exact:.5} | {same_as_cpu}{gap} | \
             {error_to_cpu:.3} |\n"
        )
    }

    /// The same text as the weights mean, and as the CPU's, unless that hardly cares.
    fn agrees(&self) -> bool {
        self.same_as_exact == LENGTH
            && self.error_to_exact <= MOST_ERROR
            && self.error_to_cpu <= MOST_ERROR_TO_CPU
            && self.gap.is_none_or(|gap| gap <= self.error_to_cpu)
    }
}

/// The whole run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) figures: Vec<Figure>,
    pub(crate) texts: Vec<Text>,
}

impl Report {
    /// As Markdown.
    pub(crate) fn page(&self) -> String {
        let mut page = String::new();
        if !self.figures.is_empty() {
            page += "| counted | over | figure | at most | reached |\n\
                     | --- | --- | ---: | ---: | :---: |\n";
            self.figures.iter().for_each(|figure| page += &figure.row());
        }
        if !self.texts.is_empty() {
            page += &format!(
                "\n| file | prompt | tokens of {LENGTH} as in f32 | error | tokens of {LENGTH} as on \
                 the CPU | error |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
            );
            self.texts.iter().for_each(|text| page += &text.row());
        }
        page
    }

    /// Rewrites the page and the figures beside it.
    pub(crate) fn write(&self) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::write(folder.join("results.json"), serde_json::to_string_pretty(self)? + "\n")?;
        bessemer_bench_page::rewrite(
            &folder.join("README.md"),
            "cargo xtask bench metal",
            &self.page(),
        )
    }

    /// An error if a text is not what it should be. Goals that were missed, the table shows.
    pub(crate) fn judge(&self) -> Result<()> {
        let strays = self.texts.iter().filter(|text| !text.agrees()).count();
        if strays > 0 {
            bail!("{strays} of {} texts are not what they should be", self.texts.len());
        }
        Ok(())
    }
}
