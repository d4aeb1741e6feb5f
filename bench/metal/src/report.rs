//! What was counted, as tables in `README.md` and as JSON.

use crate::agreement::LENGTH;
use anyhow::{Result, bail};
use serde::Serialize;
use std::{fs, path::Path};

/// Logits on Metal may differ by so much of their spread from those of a precise CPU, which still
/// rounds activations to 16 bits where weights are quantised.
const MOST_ERROR: f64 = 0.02;
/// And by so much from the usual CPU's, which rounds activations to 8 bits where weights are quantised.
const MOST_ERROR_OF_USUAL: f64 = 0.25;

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

/// A text that a model wrote on Metal, against the same file on the CPU.
#[derive(Debug, Serialize)]
pub(crate) struct Text {
    pub(crate) file: &'static str,
    pub(crate) prompt: &'static str,
    /// What it wrote.
    pub(crate) words: String,
    /// Against the CPU with activations of 16 bits.
    pub(crate) precise: Difference,
    /// Against the CPU as it usually is.
    pub(crate) usual: Difference,
}

/// How another device sees the same text.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// Tokens until it would say another.
    pub(crate) same: usize,
    /// The largest error of logits, as a share of their spread.
    pub(crate) error: f64,
    /// Where it would say another: by how much of the spread it prefers that.
    pub(crate) gap: Option<f64>,
}

impl Difference {
    fn cells(&self) -> String {
        let Difference { same, error, gap } = self;
        let gap = gap.map(|gap| format!(" (by {gap:.3})")).unwrap_or_default();
        format!("{same}{gap} | {error:.4}")
    }
}

impl Text {
    pub(crate) fn row(&self) -> String {
        let Text { file, prompt, precise, usual, .. } = self;
        format!("| {file} | {prompt} | {} | {} |\n", precise.cells(), usual.cells())
    }

    /// The same text as on a precise CPU; and as on any, unless that hardly cares.
    fn agrees(&self) -> bool {
        let Text { precise, usual, .. } = self;
        precise.same == LENGTH
            && precise.error <= MOST_ERROR
            && usual.error <= MOST_ERROR_OF_USUAL
            && usual.gap.is_none_or(|gap| gap <= usual.error)
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
                "\n| file | prompt | same tokens of {LENGTH}, CPU `--precise` | error | \
                 same tokens, CPU default | error |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
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
