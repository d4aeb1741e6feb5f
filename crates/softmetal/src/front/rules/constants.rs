//! Function constants: what they can be, and what they cannot be used for.

use super::super::Complaints;
use super::super::attributes;
use super::super::items::{Item, ItemKind};
use super::super::kernels::attributes_in;
use super::Look;
use super::kernel::Kernel;
use std::collections::HashSet;

pub(super) fn check(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let source = look.source;
    let own: HashSet<&str> =
        look.items.iter().filter(|i| i.kind == ItemKind::Type).map(|i| i.name.as_str()).collect();
    let mut known: HashSet<&str> = HashSet::new();
    for item in look.items.iter().filter(|i| i.kind == ItemKind::Other && !i.in_class) {
        let list = attributes_in(source, item.tokens.clone());
        let Some(a) = list.iter().find(|a| a.name == "function_constant") else {
            continue;
        };
        // The name stands before the attribute, and before array bounds.
        let Some(name_at) = declared_name(look, item) else {
            continue;
        };
        let name = source.text(name_at);
        known.insert(name);
        let mut complain = |rule: &str, what: &str| {
            complaints.rule(name_at, rule, format!("the function constant '{name}' {what}"));
        };
        let bounds = source.is(name_at + 1, "[") && !source.is_attribute(name_at + 1);
        if bounds {
            complain("function-constant-array", "is an array: it can only be a scalar or a vector");
        } else if (item.start..name_at).any(|i| own.contains(source.text(i))) {
            complain(
                "function-constant-type",
                "is a structure: it can only be a scalar or a vector",
            );
        }
        let index = attributes::integer(source, a.args.clone());
        if index.is_some_and(|n| !(0..=65535).contains(&n)) {
            complain("function-constant-index", "has an index that is not from 0 to 65535");
        }
        if item.tokens.clone().any(|i| source.is(i, "=")) {
            complain("function-constant-value", "has a value: only the host gives it one");
        }
    }
    for kernel in kernels {
        for param in &kernel.params {
            let Some(a) = param.attribute("function_constant") else {
                continue;
            };
            let unknown = a.args.clone().find(|&i| source.is_ident(i) && !is_declared(look, i));
            if let Some(unknown) = unknown {
                let what = format!(
                    "kernel '{}', argument '{}': there is no function constant '{}'",
                    kernel.item.name,
                    param.name,
                    source.text(unknown)
                );
                complaints.rule(param.name_at, "function-constant-argument", what);
            }
        }
    }
    lengths(look, known, complaints);
}

fn declared_name(look: &Look<'_>, item: &Item) -> Option<usize> {
    let source = look.source;
    let mut at = item.tokens.clone().find(|&i| source.is_attribute(i) && i > item.start + 1)?;
    while at > item.start {
        at -= 1;
        match source.text(at) {
            "]" => at = source.mate(at)?,
            _ => return source.is_ident(at).then_some(at),
        }
    }
    None
}

/// Whether a variable of that name is declared outside of functions.
fn is_declared(look: &Look<'_>, i: usize) -> bool {
    let name = look.source.text(i);
    look.items.iter().any(|item| {
        item.kind == ItemKind::Other && item.tokens.clone().any(|k| look.source.is(k, name))
    })
}

/// No array is as long as a function constant says.
fn lengths<'a>(look: &Look<'a>, mut known: HashSet<&'a str>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    if known.is_empty() {
        return;
    }
    // What is made of function constants is no constant expression either.
    loop {
        let before = known.len();
        for item in look.items.iter().filter(|i| i.kind == ItemKind::Other && !i.in_class) {
            let constant = item.tokens.clone().any(|i| source.is(i, "constant"));
            let value = item.tokens.clone().skip_while(|&i| !source.is(i, "="));
            if constant && value.into_iter().any(|i| known.contains(source.text(i))) {
                known.insert(item.name.as_str());
            }
        }
        if known.len() == before {
            break;
        }
    }
    for item in look.items {
        let ItemKind::Function { body: Some(body), .. } = &item.kind else {
            continue;
        };
        for i in body.clone().skip(2) {
            let words = ["return", "else", "case", "delete", "sizeof", "do"];
            let declared = source.is(i, "[")
                && !source.is_attribute(i)
                && source.is_ident(i - 1)
                && (source.is_ident(i - 2) && !words.contains(&source.text(i - 2))
                    || source.is(i - 2, ">"));
            if !declared {
                continue;
            }
            let end = source.mate(i).unwrap_or(i);
            let by = (i + 1..end).find(|&k| {
                known.contains(source.text(k)) && !is_hidden(look, item, source.text(k))
            });
            if let Some(by) = by {
                let what = format!(
                    "the length of '{}' is the function constant '{}', which is no constant expression",
                    source.text(i - 1),
                    source.text(by)
                );
                complaints.rule(by, "function-constant-length", what);
            }
        }
    }
}

/// Whether a function has something of its own of that name.
fn is_hidden(look: &Look<'_>, item: &Item, name: &str) -> bool {
    let source = look.source;
    item.tokens.clone().skip(1).any(|k| {
        source.is(k, name)
            && source.is_ident(k - 1)
            && !matches!(source.text(k - 1), "return" | "case" | "else")
    })
}
