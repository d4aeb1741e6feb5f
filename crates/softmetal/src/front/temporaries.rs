//! Methods called on temporaries. The result of a call is in no address space to clang, and so no
//! object of a method in `thread` memory: a second version, for rvalues alone, takes it and goes on
//! with a copy that is there.

use super::arguments::split;
use super::items::{Item, ItemKind};
use super::rewrite::{Edits, spelled};
use super::token::Source;
use std::ops::Range;

/// Whether a method's name is called on something that may be a temporary. All methods of the name
/// in the class then say whether they are for lvalues.
pub(super) fn may_be_called(source: &Source, items: &[Item], class: &Item, item: &Item) -> bool {
    let called = |k: usize| {
        source.is(k, &item.name) && source.is(k - 1, ".") && matches!(source.text(k - 2), ")" | "}")
    };
    if item.name != "operator" && !(2..source.tokens.len()).any(called) {
        return false;
    }
    // Declared here and defined elsewhere, or for rvalues by the author's own hand: left alone.
    let own = |i: &&Item| spelling(source, i) == spelling(source, item);
    let inside = items.iter().filter(|i| i.in_class && class.tokens.contains(&i.start));
    inside.filter(own).all(|i| match &i.kind {
        ItemKind::Function { params, body } => {
            let (_, _, after) = super::methods::qualifiers(source, params.end + 1);
            body.is_some() && !source.is(after, "&")
        }
        _ => true,
    })
}

/// The name of a function; of an operator, with what it is an operator of.
fn spelling(source: &Source, item: &Item) -> String {
    match &item.kind {
        ItemKind::Function { params, .. } => source.joined(item.name_at..params.start - 1),
        _ => item.name.clone(),
    }
}

/// Writes the version for temporaries behind the method.
pub(super) fn second_version(
    source: &Source,
    class: &Item,
    item: &Item,
    params: Range<usize>,
    words: &str,
    edits: &mut Edits,
) {
    // A reference would be to the copy.
    let result = item.start..item.name_at;
    if matches!(source.text(item.name_at - 1), "&" | "*") {
        return;
    }
    let mut arguments = Vec::new();
    for p in split(source, params.clone()) {
        if p.len() == 1 && source.is(p.start, "void") {
            continue;
        }
        let end = p.clone().find(|&k| matches!(source.text(k), "=" | "[")).unwrap_or(p.end);
        let last = end - 1;
        if p.len() < 2 || !source.is_ident(last) || source.is(last, "const") {
            return;
        }
        let pack = last >= 3 && source.is(last - 1, ".") && source.is(last - 3, ".");
        arguments.push(format!("{}{}", source.text(last), if pack { "..." } else { "" }));
    }
    let header = match &item.template {
        Some(t) => format!("template <{}> ", super::methods::template_header(source, t.clone())),
        None => String::new(),
    };
    // The result without attributes.
    let (mut plain, mut from) = (String::new(), result.start);
    for k in result.clone().filter(|&k| source.is_attribute(k)) {
        plain.push_str(&spelled(source, from..k));
        from = source.mate(k).unwrap_or(k) + 1;
    }
    plain.push_str(&spelled(source, from..result.end));
    let name = spelled(source, item.name_at..params.start - 1);
    let text = format!(
        " {header}{plain} {name}({}){words} && {{ {} __sm_copy = *this; return __sm_copy.{name}({}); }} ",
        spelled(source, params).replace('\n', " "),
        class.name,
        arguments.join(", ")
    );
    edits.insert(source.span(item.tokens.clone()).end, text);
}
