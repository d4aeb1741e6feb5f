//! Kernels and their arguments as they are written, before anything is made of them.

use super::super::arguments::split;
use super::super::attributes::Attribute;
use super::super::items::{Item, ItemKind};
use super::super::kernels::attributes_in;
use super::super::token::Source;
use super::{Look, is_space};
use std::ops::Range;

/// A kernel with a body.
pub(super) struct Kernel<'a> {
    pub(super) item: &'a Item,
    /// From the first specifier to the parenthesis of the parameters.
    pub(super) head: Range<usize>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) params: Vec<Param>,
}

/// One parameter.
pub(super) struct Param {
    pub(super) name: String,
    pub(super) name_at: usize,
    /// The tokens of the type: no name, no attributes, no array bounds.
    pub(super) words: Vec<usize>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) space: Option<String>,
    /// A pointer, a reference or an array.
    pub(super) indirect: bool,
    pub(super) rvalue: bool,
}

impl Param {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Whether a function constant says if the argument is there.
    pub(super) fn is_optional(&self) -> bool {
        self.attribute("function_constant").is_some()
    }
}

/// Every kernel that is defined.
pub(super) fn kernels<'a>(look: &Look<'a>) -> Vec<Kernel<'a>> {
    let source = look.source;
    let mut out = Vec::new();
    for item in look.items {
        let ItemKind::Function { params, body: Some(_) } = &item.kind else {
            continue;
        };
        let head = item.start..params.start.saturating_sub(1);
        let attributes = attributes_in(source, head.clone());
        let keyword = head.clone().any(|i| source.is(i, "kernel") && i != item.name_at);
        if !keyword && !attributes.iter().any(|a| a.name == "kernel") {
            continue;
        }
        let params = split(source, params.clone())
            .into_iter()
            .filter(|p| !(p.len() == 1 && source.is(p.start, "void")))
            .filter_map(|p| param(source, p))
            .collect();
        out.push(Kernel { item, head, attributes, params });
    }
    out
}

fn param(source: &Source, p: Range<usize>) -> Option<Param> {
    let mut plain = Vec::new();
    let mut array = false;
    let mut k = p.start;
    while k < p.end && !source.is(k, "=") {
        if source.is(k, "[") {
            array |= !source.is_attribute(k);
            k = source.mate(k).unwrap_or(k) + 1;
        } else {
            plain.push(k);
            k += 1;
        }
    }
    // The name comes last, or inside parentheses: `device T (&x)[4]`.
    let last = *plain.iter().rev().find(|&&i| !source.is(i, ")"))?;
    let named = source.is_ident(last) && plain.len() > 1 && !is_space(source.text(last));
    let words: Vec<usize> = plain.iter().copied().filter(|&i| !(named && i == last)).collect();
    let has = |text: &str| words.iter().any(|&i| source.is(i, text));
    let space = words.iter().map(|&i| source.text(i)).find(|w| is_space(w)).map(String::from);
    let twice = words.windows(2).any(|w| source.is(w[0], "&") && source.is(w[1], "&"));
    Some(Param {
        name: if named { source.text(last).to_string() } else { String::new() },
        name_at: if named { last } else { p.start },
        attributes: attributes_in(source, p),
        space,
        indirect: array || has("*") || has("&"),
        rvalue: twice,
        words,
    })
}
