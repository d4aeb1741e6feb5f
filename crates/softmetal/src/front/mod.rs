//! The front end: from preprocessed MSL to text that clang takes as C++ for OpenCL, with the
//! table of kernels, arguments and function constants. It decides nothing about types: clang does.

mod arguments;
mod attributes;
mod braces;
mod elements;
mod emit;
mod graphics;
mod integers;
mod items;
mod kernels;
mod lex;
#[cfg(test)]
mod lex_against_clang;
mod methods;
mod reach;
mod rewrite;
mod rules;
mod strings;
mod temporaries;
mod ternary;
mod token;
mod variables;

pub(crate) use emit::{ConstantValues, Mode, cpp_type, render};
pub(crate) use graphics::NotRun;
pub(crate) use rules::Settings;
pub(crate) use token::Source;

use crate::diagnostic::{Diagnostic, Severity, original_column};
use serde::{Deserialize, Serialize};

/// Where an argument's data comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ArgKind {
    /// `[[buffer(n)]]` in device (`true`) or constant memory.
    Buffer { index: u32, device: bool, writable: bool },
    /// `[[threadgroup(n)]]`
    Threadgroup { index: u32 },
    /// An index attribute such as `thread_position_in_grid`.
    Builtin(String),
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Arg {
    pub(crate) name: String,
    pub(crate) type_name: String,
    pub(crate) kind: ArgKind,
    /// The function constant that says whether the argument exists.
    pub(crate) condition: Option<String>,
}

/// A function constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Constant {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) type_name: String,
}

/// A kernel that can be run: a plain kernel or one instantiation of a template.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// What the host calls it.
    pub(crate) name: String,
    /// How C++ calls it.
    pub(crate) expression: String,
    /// The object whose address marks its threadgroup variables, if it has any.
    pub(crate) tag: Option<String>,
    pub(crate) args: Vec<Arg>,
    pub(crate) max_threads: Option<u32>,
    /// Whether its threads can meet (barriers, SIMD-group functions).
    pub(crate) meets: bool,
    /// Whether it orders accesses by fences.
    pub(crate) fences: bool,
    /// The indices of function constants that must have values.
    pub(crate) requires: Vec<u32>,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// A translated file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Unit {
    /// Text for clang; entries stand in it as `__SM_E<n>`, constants as `__SM_FC_<id>`.
    pub(crate) text: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) constants: Vec<Constant>,
    /// How many threadgroup variables there are.
    pub(crate) slots: u32,
    /// Functions that are there and cannot be run.
    pub(crate) not_run: Vec<NotRun>,
    /// Whether references to elements of vectors have to be looked for.
    pub(crate) refers: bool,
}

/// The user's own lines, for messages.
pub(crate) trait Lines {
    /// Line `line` (from 1) of `file`.
    fn line(&self, file: &str, line: usize) -> Option<String>;
}

/// Builds messages about tokens.
pub(crate) struct Complaints<'a> {
    source: &'a Source,
    lines: &'a dyn Lines,
    pub(crate) list: Vec<Diagnostic>,
}

impl Complaints<'_> {
    pub(crate) fn at(&mut self, token: usize, message: impl Into<String>) {
        let token = token.min(self.source.tokens.len().saturating_sub(1));
        let Some(t) = self.source.tokens.get(token) else {
            return;
        };
        let file = self.source.files[t.file].clone();
        let source_line = self.lines.line(&file, t.line);
        let (rewritten, offset) = self.source.line_of(token);
        let column = match &source_line {
            Some(original) => original_column(original, rewritten, offset),
            None => offset + 1,
        };
        self.list.push(Diagnostic {
            file,
            line: t.line,
            column,
            severity: Severity::Error,
            message: message.into(),
            source_line,
        });
    }

    /// The same, by the name of the rule that is broken.
    pub(crate) fn rule(&mut self, token: usize, rule: &str, message: impl Into<String>) {
        self.at(token, format!("{} [{rule}]", message.into()));
    }

    /// Puts the messages in the order of the lines, each once.
    pub(crate) fn order(&mut self) {
        self.list.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        self.list.dedup();
    }
}

/// Translates preprocessed source.
pub(crate) fn translate(
    source: &Source,
    lines: &dyn Lines,
    settings: Settings,
) -> Result<Unit, Vec<Diagnostic>> {
    let mut items = items::items(source);
    let mut not_run = Vec::new();
    let rest;
    let source = match graphics::without(source, &items) {
        Some((without, others)) => {
            (rest, not_run) = (without, others);
            items = items::items(&rest);
            &rest
        }
        None => source,
    };
    let mut complaints = Complaints { source, lines, list: Vec::new() };
    rules::check(source, &items, settings, &mut complaints);
    if !complaints.list.is_empty() {
        return Err(complaints.list);
    }
    let mut edits = rewrite::Edits::default();
    let kernels = kernels::kernels(source, &items, &mut complaints);
    let variables = variables::rewrite(source, &items, &kernels, &mut edits, &mut complaints);
    if !complaints.list.is_empty() {
        return Err(complaints.list);
    }
    let (entries, textured) =
        kernels::entries(source, &items, &kernels, &variables, &mut edits, &mut complaints);
    not_run.extend(textured);
    if !complaints.list.is_empty() {
        return Err(complaints.list);
    }
    methods::rewrite(source, &items, &mut edits);
    graphics::samplers(source, &items, &mut edits);
    strings::rewrite(source, &items, &mut edits);
    ternary::rewrite(source, &mut edits);
    braces::rewrite(source, &mut edits);
    rewrite::pragmas(source, &mut edits);
    rewrite::keywords(source, &items, &variables.constants, &mut edits);
    Ok(Unit {
        text: edits.apply(&source.text),
        entries,
        constants: variables.constants,
        slots: variables.slots,
        not_run,
        refers: elements::may_be_referred_to(source),
    })
}
