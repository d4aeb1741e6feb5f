//! What a file has besides compute kernels that can run here: functions of the graphics pipeline,
//! which are left out, and kernels that use textures, which are compiled and not run.

use super::items::{Item, ItemKind};
use super::kernels::attributes_in;
use super::reach::Reach;
use super::token::Source;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A function that is in the file and cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NotRun {
    pub(crate) name: String,
    /// What it is or has: `a vertex function`, `textures`.
    pub(crate) why: String,
    /// Whether it was compiled, and only cannot be run.
    pub(crate) compiled: bool,
}

const STAGES: &[&str] =
    &["vertex", "fragment", "mesh", "object", "tile", "intersection", "visible"];

/// The stage a declaration belongs to, if it is none of compute.
fn stage(source: &Source, item: &Item) -> Option<&'static str> {
    let end = match &item.kind {
        ItemKind::Function { params, .. } => params.start.saturating_sub(1),
        ItemKind::Instantiation => item.tokens.end,
        _ => return None,
    };
    let head = item.start..end;
    let attributes = attributes_in(source, head.clone());
    STAGES.iter().copied().find(|s| {
        // As a keyword it stands before the type; `vertex` may also be the name of a variable.
        let keyword = matches!(*s, "vertex" | "fragment")
            && head.clone().take(6).any(|i| source.is(i, s) && source.is_ident(i + 1));
        keyword && !source.is(item.name_at, s) || attributes.iter().any(|a| a.name == *s)
    })
}

/// The source without the functions of other stages, if it has any, and their names.
pub(crate) fn without(source: &Source, items: &[Item]) -> Option<(Source, Vec<NotRun>)> {
    let mut text = source.text.clone().into_bytes();
    let mut out: Vec<NotRun> = Vec::new();
    for item in items {
        let Some(stage) = stage(source, item).filter(|s| *s != "visible") else {
            continue;
        };
        if item.kind != ItemKind::Instantiation && item.template.is_none() {
            let article = if matches!(stage, "object" | "intersection") { "an" } else { "a" };
            let why = format!("{article} {stage} function");
            out.push(NotRun { name: item.name.clone(), why, compiled: false });
        }
        for byte in &mut text[source.span(item.tokens.clone())] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    if text == source.text.as_bytes() {
        return None;
    }
    // Blanks took the place of whole tokens, so this is still UTF-8.
    let text = String::from_utf8(text).ok()?;
    Some((Source::new(text), out))
}

/// Whether a token names a type of texture, or a sampler.
pub(crate) fn is_texture(source: &Source, i: usize) -> bool {
    let text = source.text(i);
    let shape = text.strip_prefix("texture").or(text.strip_prefix("depth"));
    text == "sampler"
        || source.is(i + 1, "<")
            && shape.is_some_and(|s| {
                ["1d", "2d", "3d", "cube", "_buffer"].iter().any(|d| s.starts_with(d))
            })
}

impl Reach {
    /// Whether a kernel, or anything that it names, has to do with textures.
    pub(crate) fn textures(&self, source: &Source, start: &[Range<usize>]) -> bool {
        let mut found = false;
        self.walk(source, start, &mut |i, _| {
            let member = i > 0 && matches!(source.text(i - 1), "." | "->");
            found |= !member && is_texture(source, i);
            !found
        });
        found
    }
}

/// `constexpr sampler s(…);` at program scope goes without an address space in MSL.
pub(crate) fn samplers(source: &Source, items: &[Item], edits: &mut super::rewrite::Edits) {
    for item in items.iter().filter(|i| i.kind != ItemKind::Type && !i.in_class) {
        let head = item.start..item.name_at.min(item.tokens.end);
        let is = |word: &str| head.clone().any(|i| source.is(i, word));
        let body = matches!(&item.kind, ItemKind::Function { body: Some(_), .. });
        let variable = source.is(item.name_at.saturating_sub(1), "sampler");
        if is("constexpr") && variable && !is("constant") && !body {
            edits.insert(source.tokens[item.start].start, "static __sm_constvar ");
        }
    }
}
