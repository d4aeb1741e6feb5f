//! LLVM's text, read as far as it takes to know what lives where.

use std::collections::HashMap;

/// One kernel.
#[derive(Debug, Default)]
pub(super) struct Function<'a> {
    /// Which of the library's kernels it is.
    pub(super) number: usize,
    /// The first values are its parameters.
    pub(super) parameters: usize,
    /// How many values it has.
    pub(super) values: usize,
    pub(super) blocks: Vec<Block<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    pub(super) instructions: Vec<Instruction<'a>>,
    pub(super) successors: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Instruction<'a> {
    /// The value it makes.
    pub(super) result: Option<usize>,
    pub(super) opcode: &'a str,
    /// What follows the opcode.
    pub(super) rest: &'a str,
    /// The values it uses; those of a phi come from `incoming` instead.
    pub(super) uses: Vec<usize>,
    /// Of a phi: values and the blocks they come from.
    pub(super) incoming: Vec<(usize, usize)>,
}

/// The kernels of a module.
pub(super) fn functions(text: &str) -> impl Iterator<Item = Function<'_>> {
    text.split("\ndefine ").skip(1).filter_map(function)
}

fn function(text: &str) -> Option<Function<'_>> {
    let (head, body) = text.split_once('\n')?;
    let (_, name) = head.split_once("@__sm_thread_")?;
    let (number, parameters) = name.split_once('(')?;
    let body = body.split_once("\n}").map_or(body, |(body, _)| body);
    let mut names: HashMap<&str, usize> = HashMap::new();
    for name in locals(parameters) {
        let next = names.len();
        names.entry(name).or_insert(next);
    }
    let parameters = names.len();
    let lines: Vec<&str> = body.lines().map(|l| without_metadata(l.trim())).collect();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    for line in &lines {
        if let Some(label) = label(line) {
            // The first block is the one before the first label.
            let next = labels.len() + 1;
            labels.insert(label, next);
        } else if let Some((name, _)) = assignment(line) {
            let next = names.len();
            names.insert(name, next);
        }
    }
    let mut blocks = vec![Block::default()];
    for line in lines {
        if label(line).is_some() {
            blocks.push(Block::default());
            continue;
        }
        let Some(block) = blocks.last_mut().filter(|_| !line.is_empty()) else { continue };
        // What a terminator goes to may be a list of several lines.
        block.successors.extend(targets(line).filter_map(|l| labels.get(l).copied()));
        let (result, what) = match assignment(line) {
            Some((name, what)) => (names.get(name).copied(), what),
            None => (None, line),
        };
        let (opcode, rest) = what.split_once(' ').unwrap_or((what, ""));
        let mut one = Instruction { result, opcode, rest, uses: Vec::new(), incoming: Vec::new() };
        if opcode == "phi" {
            for pair in rest.split('[').skip(1) {
                let Some((value, from)) = pair.split_once(',') else { continue };
                let (value, from) = (locals(value).next(), locals(from).next());
                let from = from.and_then(|l| labels.get(l)).copied().unwrap_or(0);
                if let Some(&value) = value.and_then(|v| names.get(v)) {
                    one.incoming.push((value, from));
                }
            }
        } else {
            one.uses = locals(rest).filter_map(|v| names.get(v).copied()).collect();
        }
        block.instructions.push(one);
    }
    let number = number.parse().ok()?;
    Some(Function { number, parameters, values: names.len(), blocks })
}

/// `, !tbaa !7` and comments say nothing of values.
fn without_metadata(line: &str) -> &str {
    let line = line.split(", !").next().unwrap_or(line);
    match line.split_once(" ;") {
        Some((before, _)) => before.trim_end(),
        None => line,
    }
}

fn label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    (!name.contains(' ')).then_some(name.trim_matches('"'))
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, what) = line.strip_prefix('%')?.split_once(" = ")?;
    Some((name, what))
}

/// The blocks that a line names as such.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("label %").skip(1).map(ends)
}

/// The names after `%`, of values, types and blocks alike.
fn locals(text: &str) -> impl Iterator<Item = &str> {
    text.split('%').skip(1).map(ends)
}

fn ends(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "._-$".contains(c)));
    &text[..end.unwrap_or(text.len())]
}
