//! Measurements with their goals, and the table of them.

use serde::Serialize;
use std::fmt;

/// What a line aims at.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A ratio that is to be large.
    AtLeast(f64),
    /// A ratio that is to be small.
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
pub struct Line {
    /// What was measured: a file, say.
    pub file: String,
    /// What it did.
    pub work: &'static str,
    /// Who did the same, or what limits it.
    pub against: &'static str,
    /// What the ratio aims at.
    pub goal: Goal,
    /// Ours over the other's.
    pub ratio: f64,
    /// Ours by itself: tokens per second, or a perplexity.
    pub figure: Option<f64>,
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

/// All lines as a table in Markdown, and how many goals are reached.
pub fn table(lines: &[Line]) -> String {
    let mut text = "| file | what | ours | against | ratio | goal | reached |\n\
                    | --- | --- | ---: | --- | ---: | ---: | :---: |\n"
        .to_owned();
    lines.iter().for_each(|line| text += &format!("{line}\n"));
    let goals = lines.iter().filter_map(|line| line.goal.reached(line.ratio));
    let (all, reached) = (goals.clone().count(), goals.filter(|&reached| reached).count());
    text + &format!("\n{reached} of {all} goals reached.\n")
}
