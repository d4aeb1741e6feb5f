//! Functions that call themselves, in versions that do not allow it.

use super::super::Complaints;
use super::super::items::{Item, ItemKind};
use super::Look;
use std::collections::{HashMap, HashSet};

/// Cycles among plain functions that are the only ones of their name. Templates and overloads
/// may call their namesakes rightly.
pub(super) fn check(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    let mut count: HashMap<&str, usize> = HashMap::new();
    for item in look.items {
        if matches!(item.kind, ItemKind::Function { body: Some(_), .. } | ItemKind::Type) {
            *count.entry(&item.name).or_default() += 1;
        }
    }
    let functions: HashMap<&str, &Item> = look
        .items
        .iter()
        .filter(|i| matches!(i.kind, ItemKind::Function { body: Some(_), .. }))
        .filter(|i| {
            i.template.is_none() && !i.in_class && i.path.is_empty() && count[i.name.as_str()] == 1
        })
        // A kernel may have the name of one of Metal's own functions, and call that.
        .filter(|i| !(i.start..i.name_at).any(|k| source.is(k, "kernel")))
        .map(|i| (i.name.as_str(), i))
        .collect();
    let calls = |item: &Item| -> Vec<&str> {
        let ItemKind::Function { body: Some(body), .. } = &item.kind else {
            return Vec::new();
        };
        body.clone()
            .filter(|&i| source.is(i + 1, "(") && functions.contains_key(source.text(i)))
            .filter(|&i| !matches!(source.text(i - 1), "." | "->" | "::"))
            .map(|i| source.text(i))
            .collect()
    };
    let mut names: Vec<&&str> = functions.keys().collect();
    names.sort_by_key(|n| functions[**n].name_at);
    for name in names {
        let mut seen = HashSet::new();
        let mut waiting = calls(functions[*name]);
        while let Some(next) = waiting.pop() {
            if next == *name {
                complaints.rule(
                    functions[*name].name_at,
                    "since-recursion",
                    format!("'{name}' calls itself: recursion is there since Metal 2.4"),
                );
                break;
            }
            if seen.insert(next) {
                waiting.extend(calls(functions[next]));
            }
        }
    }
}
