//! Edits of the text, and those that are the same everywhere: address spaces, attributes,
//! names that OpenCL reserves and MSL does not.

use super::Constant;
use super::items::{Item, ItemKind};
use super::lex::is_floating;
use super::token::{Kind, Source};
use std::collections::HashMap;
use std::ops::Range;

/// Replacements of byte ranges. Lines never move: a replacement keeps the newlines it covers.
#[derive(Default)]
pub(crate) struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(crate) fn replace(&mut self, bytes: Range<usize>, text: impl Into<String>) {
        self.list.push((bytes, text.into()));
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.list.push((at..at, text.into()));
    }

    pub(crate) fn covers(&self, at: usize) -> bool {
        self.list.iter().any(|(r, _)| r.contains(&at))
    }

    /// The text with all edits made. Of two that overlap the earlier-starting one wins.
    pub(crate) fn apply(self, text: &str) -> String {
        self.apply_to(text, 0..text.len())
    }

    /// As `apply`, for a part of the text; all edits lie in it.
    pub(crate) fn apply_to(mut self, text: &str, part: Range<usize>) -> String {
        self.list.sort_by_key(|(r, _)| (r.start, r.end));
        let mut out = String::with_capacity(part.len() + part.len() / 4);
        let mut at = part.start;
        for (range, replacement) in &self.list {
            if range.start < at {
                continue;
            }
            out.push_str(&text[at..range.start]);
            out.push_str(replacement);
            let lost = text[range.clone()].matches('\n').count();
            out.extend(std::iter::repeat_n(
                '\n',
                lost.saturating_sub(replacement.matches('\n').count()),
            ));
            at = range.end;
        }
        out.push_str(&text[at..part.end]);
        out
    }
}

/// Names that mean something else to OpenCL.
const RESERVED: &[&str] = &[
    "global",
    "local",
    "generic",
    "pipe",
    "read_only",
    "write_only",
    "read_write",
    "uniform",
    "vec_step",
    "event_t",
    "queue_t",
    "clk_event_t",
    "reserve_id_t",
    "sampler_t",
    "atomic_flag",
    "atomic_double",
];

/// The atomic types OpenCL has of its own.
const ATOMICS: &[&str] =
    &["atomic_int", "atomic_uint", "atomic_bool", "atomic_float", "atomic_ulong", "atomic_long"];

/// A literal as clang has to see it: MSL has no double, so one without a suffix is a float, and
/// `bf` makes a bfloat. `0x5bf` is an integer.
pub(super) fn literal(text: &str) -> Option<String> {
    if !is_floating(text) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    match lower.strip_suffix("bf") {
        Some(digits) => Some(format!("bfloat({}f)", &text[..digits.len()])),
        None if lower.ends_with(['f', 'h', 'l']) => None,
        None => Some(format!("{text}f")),
    }
}

/// A type or an expression as it will read once names are rewritten.
pub(crate) fn spelled(source: &Source, tokens: Range<usize>) -> String {
    let mut out = String::new();
    for i in tokens.clone() {
        if i > tokens.start && source.tokens[i - 1].end != source.tokens[i].start {
            out.push(' ');
        }
        let text = source.text(i);
        match text {
            "device" | "threadgroup" | "thread" | "constant" => {
                out.push_str(&format!("__sm_{text}"))
            }
            _ if RESERVED.contains(&text) => out.push_str(&format!("__sm_name_{text}")),
            _ if ATOMICS.contains(&text) => out.push_str(&format!("__sm_{text}")),
            _ if source.tokens[i].kind == Kind::Number => {
                out.push_str(&literal(text).unwrap_or_else(|| text.to_string()));
            }
            _ => out.push_str(text),
        }
    }
    out
}

/// Edits that depend on a token alone, or nearly.
pub(crate) fn keywords(source: &Source, items: &[Item], constants: &[Constant], edits: &mut Edits) {
    let by_name: HashMap<&str, u32> = constants.iter().map(|c| (c.name.as_str(), c.id)).collect();
    let done: Vec<Range<usize>> = {
        let mut d: Vec<_> =
            edits.list.iter().map(|(r, _)| r.clone()).filter(|r| !r.is_empty()).collect();
        d.sort_by_key(|r| r.start);
        d
    };
    let taken = |at: usize| {
        let k = done.partition_point(|r| r.start <= at);
        done[..k].iter().rev().take(4).any(|r| r.contains(&at))
    };
    let mut i = 0;
    while i < source.tokens.len() {
        let token = &source.tokens[i];
        let span = token.start..token.end;
        if taken(span.start) {
            i += 1;
            continue;
        }
        if source.is_attribute(i) {
            let after = source.mate(i).unwrap_or(i) + 1;
            edits.replace(source.span(i..after), " ");
            i = after;
            continue;
        }
        if token.kind == Kind::Number {
            if let Some(text) = literal(source.text(i)) {
                edits.replace(span, text);
            }
        } else if token.kind == Kind::Ident {
            let text = source.text(i);
            match text {
                "coherent" => {
                    if let Some(end) = coherent(source, i) {
                        edits.replace(source.span(i..end), " ");
                        i = end;
                        continue;
                    }
                }
                "thread" | "threadgroup"
                    if matches!(source.text(past_const(source, i + 1)), "device" | "constant") =>
                {
                    outer_space(source, i, edits);
                }
                "device" | "threadgroup" | "thread" => edits.replace(span, format!("__sm_{text}")),
                "constant" => {
                    // After a parameter list it qualifies the method and must not add `const`.
                    let mut before = i;
                    while before > 0 && matches!(source.text(before - 1), "const" | "volatile") {
                        before -= 1;
                    }
                    let method = before > 0 && source.is(before - 1, ")");
                    edits.replace(span, if method { "__sm_host" } else { "__sm_constant" });
                }
                "kernel" => edits.replace(span, " "),
                "is_function_constant_defined" if source.is(i + 1, "(") => {
                    if let (Some(id), Some(close)) =
                        (by_name.get(source.text(i + 2)), source.mate(i + 1))
                    {
                        edits.replace(source.span(i..close + 1), format!("(__SM_FCDEF_{id})"));
                        i = close + 1;
                        continue;
                    }
                }
                _ if RESERVED.contains(&text) => edits.replace(span, format!("__sm_name_{text}")),
                _ if ATOMICS.contains(&text) => edits.replace(span, format!("__sm_{text}")),
                _ => {}
            }
        }
        i += 1;
    }
    internal_linkage(source, items, edits);
}

fn past_const(source: &Source, at: usize) -> usize {
    (at..source.tokens.len())
        .find(|&k| !matches!(source.text(k), "const" | "volatile"))
        .unwrap_or(at)
}

/// Where `coherent device T *` or `coherent(system) device T *` goes on: here all memory is coherent.
pub(super) fn coherent(source: &Source, at: usize) -> Option<usize> {
    match source.text(at + 1) {
        "device" | "volatile" | "const" => Some(at + 1),
        "(" if matches!(source.text(at + 2), "device" | "system") => Some(source.mate(at + 1)? + 1),
        _ => None,
    }
}

/// `thread device T *const *p`: the first of two spaces is where the pointers themselves are, and
/// goes without saying for `thread device T *p`.
fn outer_space(source: &Source, at: usize, edits: &mut Edits) {
    let ends = |k: usize| matches!(source.text(k), "," | ")" | ";" | "=" | "{" | "(" | "[");
    let declarator = (at + 1..source.tokens.len()).take_while(|&k| !ends(k));
    let pointers: Vec<usize> =
        declarator.filter(|&k| matches!(source.text(k), "*" | "&")).collect();
    edits.replace(source.span(at..at + 1), "");
    if let [_, .., last] = pointers[..] {
        edits.insert(source.tokens[last].start, format!("__sm_{} ", source.text(at)));
    }
}

/// Plain functions become `static`, so that only the kernels asked for are compiled to code.
fn internal_linkage(source: &Source, items: &[Item], edits: &mut Edits) {
    for item in items {
        let ItemKind::Function { params, .. } = &item.kind else {
            continue;
        };
        let before = item.start..params.start;
        let qualified = before.clone().any(|i| {
            matches!(
                source.text(i),
                "static"
                    | "inline"
                    | "constexpr"
                    | "friend"
                    | "extern"
                    | "typedef"
                    | "using"
                    | "::"
            )
        });
        if item.in_class
            || item.template.is_some()
            || qualified
            || source.is(item.start, "template")
        {
            continue;
        }
        let at = source.tokens[item.start].start;
        if !edits.covers(at) || source.is(item.start, "[") || source.is(item.start, "kernel") {
            edits.insert(at, "static ");
        }
    }
}

/// Unrolling is the optimiser's choice on a CPU, and the pragma's argument may be a macro that
/// preprocessing has left unexpanded.
pub(crate) fn pragmas(source: &Source, edits: &mut Edits) {
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with("#pragma unroll")
            || text.starts_with("#pragma clang loop")
            || text.starts_with("#pragma METAL")
        {
            edits.replace(at..at + line.trim_end().len(), "");
        }
        at += line.len();
    }
}
