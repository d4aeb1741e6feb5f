//! Functions whose address spaces OpenCL spells differently: methods and constructors, const
//! references, functions as template arguments.

use super::arguments::split;
use super::items::{Item, ItemKind};
use super::rewrite::{Edits, spelled};
use super::token::Source;
use std::collections::HashSet;
use std::ops::Range;

fn is_space(text: &str) -> bool {
    matches!(text, "device" | "constant" | "threadgroup" | "thread")
}

/// Rewrites all of them.
pub(crate) fn rewrite(source: &Source, items: &[Item], edits: &mut Edits) {
    let mut kept: HashSet<String> = HashSet::new();
    for item in items {
        if let Some(template) = &item.template {
            function_arguments(source, template.clone(), edits);
        }
        let ItemKind::Function { params, .. } = &item.kind else {
            continue;
        };
        for p in split(source, params.clone()) {
            by_value(source, p, edits);
        }
        let outside = !item.in_class && item.name_at > 0 && source.is(item.name_at - 1, "::");
        if item.in_class || outside {
            method(source, items, item, params.clone(), edits, &mut kept);
        }
    }
}

/// `void (*f)(int)` as a template parameter: OpenCL takes a reference there, not a pointer.
fn function_arguments(source: &Source, header: Range<usize>, edits: &mut Edits) {
    for i in header {
        if source.is(i, "(")
            && source.is(i + 1, "*")
            && source.is_ident(i + 2)
            && source.is(i + 3, ")")
            && source.is(i + 4, "(")
        {
            edits.replace(source.span(i + 1..i + 2), "&");
        }
    }
}

/// A template header as it will read once it is rewritten.
pub(crate) fn template_header(source: &Source, header: Range<usize>) -> String {
    let mut edits = Edits::default();
    function_arguments(source, header.clone(), &mut edits);
    for i in header.clone() {
        match source.text(i) {
            t if is_space(t) => edits.replace(source.span(i..i + 1), format!("__sm_{t}")),
            _ => {}
        }
    }
    edits.apply_to(&source.text, source.span(header)).replace('\n', " ")
}

/// `const thread T &x` takes temporaries in MSL and not in OpenCL: pass the value instead.
fn by_value(source: &Source, p: Range<usize>, edits: &mut Edits) {
    let thread = p.clone().find(|&i| source.is(i, "thread"));
    let constant = p.clone().any(|i| source.is(i, "const"));
    let (Some(thread), true) = (thread, constant) else {
        return;
    };
    let amp = p.clone().find(|&i| source.is(i, "&"));
    let plain = p.clone().all(|i| !matches!(source.text(i), "(" | "[" | "*"));
    if let (Some(amp), true) = (amp, plain)
        && !source.is(amp + 1, "&")
    {
        edits.replace(source.span(thread..thread + 1), " ");
        edits.replace(source.span(amp..amp + 1), " ");
    }
}

/// Gives a method the address space of its object: MSL's default is `thread`, OpenCL's is
/// generic. Versions that come to the same are written once.
fn method(
    source: &Source,
    items: &[Item],
    item: &Item,
    params: Range<usize>,
    edits: &mut Edits,
    kept: &mut HashSet<String>,
) {
    let head = item.start..item.name_at;
    if head.clone().any(|i| matches!(source.text(i), "static" | "friend" | "~")) {
        return;
    }
    let class = items
        .iter()
        .enumerate()
        .filter(|(_, c)| c.kind == ItemKind::Type && c.tokens.contains(&item.start))
        .min_by_key(|(_, c)| c.tokens.len());
    let owner = match class {
        Some((n, _)) => n.to_string(),
        None => String::new(),
    };
    // A static method defined outside its class does not say so again.
    let outside = class.is_none();
    if outside {
        let declared_static = items.iter().any(|i| {
            i.in_class
                && i.name == item.name
                && (i.start..i.name_at).any(|k| source.is(k, "static"))
        });
        let known = items.iter().any(|i| i.in_class && i.name == item.name);
        if declared_static || !known {
            return;
        }
    }
    let constructor = class.is_some_and(|(_, c)| c.name == item.name);
    let mut end = params.end + 1;
    let mut spaces = Vec::new();
    let mut words = String::new();
    while matches!(source.text(end), "const" | "volatile") || is_space(source.text(end)) {
        if is_space(source.text(end)) {
            spaces.push(source.text(end));
        } else {
            words.push_str(&format!(" {}", source.text(end)));
        }
        end += 1;
    }
    let space = match spaces.first() {
        _ if constructor => "",
        Some(&"device" | &"constant") => " __global",
        Some(&"threadgroup") => " __local",
        _ => " __private",
    };
    let template = item.template.clone().map_or(String::new(), |t| source.joined(t));
    let name = source.joined(item.name_at..params.start);
    let result: String = head
        .filter(|&i| !is_space(source.text(i)))
        .map(|i| format!("{} ", source.text(i)))
        .collect();
    let key = format!(
        "{owner}|{template}|{result}{name}|{}|{words}|{space}|{outside}",
        source.joined(params.clone())
    );
    if !kept.insert(key) && !spaces.is_empty() {
        edits.replace(source.span(item.tokens.clone()), " ");
        return;
    }
    let plain = !constructor && item.template.is_none() && spaces.is_empty();
    if let (Some((_, class)), true) = (class, plain && words.contains("const")) {
        for_temporaries(source, items, class, item, params.clone(), edits);
    }
    let close = source.span(params.end..params.end + 1).end;
    if end > params.end + 1 {
        edits.replace(source.span(params.end + 1..end), format!("{words}{space}"));
    } else if !space.is_empty() {
        edits.insert(close, space);
    }
}

/// The result of a call is in no address space to clang, and so no object of a method in `thread`
/// memory: a second version of the method takes it and goes on with a copy.
fn for_temporaries(
    source: &Source,
    items: &[Item],
    class: &Item,
    item: &Item,
    params: Range<usize>,
    edits: &mut Edits,
) {
    let ItemKind::Function { body: Some(_), .. } = item.kind else {
        return;
    };
    let name = item.name_at..params.start - 1;
    let result = item.start..item.name_at;
    let called =
        |k: usize| source.is(k, &item.name) && source.is(k - 1, ".") && source.is(k - 2, ")");
    if item.name != "operator" && !(2..source.tokens.len()).any(called) {
        return;
    }
    // Versions for other spaces say what is meant; references would be to the copy.
    let qualified = |i: &Item| match &i.kind {
        ItemKind::Function { params, .. } => {
            (params.end + 1..params.end + 4).any(|k| is_space(source.text(k)))
        }
        _ => false,
    };
    let same = |i: &&Item| i.name == item.name && class.tokens.contains(&i.start);
    let refers = result.clone().any(|k| matches!(source.text(k), "&" | "*"));
    if refers || items.iter().filter(same).any(qualified) {
        return;
    }
    let mut arguments = Vec::new();
    for p in split(source, params.clone()) {
        let end = p.clone().find(|&k| matches!(source.text(k), "=" | "[")).unwrap_or(p.end);
        let last = end - 1;
        if p.len() < 2 || !source.is_ident(last) || source.is(last, "const") {
            return;
        }
        arguments.push(source.text(last));
    }
    let text = format!(
        " {}{}({}) const {{ {} __sm_copy = *this; return __sm_copy.{}({}); }} ",
        spelled(source, result).replace('\n', " ") + " ",
        spelled(source, name.clone()),
        spelled(source, params),
        class.name,
        spelled(source, name),
        arguments.join(", ")
    );
    edits.insert(source.span(item.tokens.clone()).end, text);
}
