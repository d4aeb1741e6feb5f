//! Pointers and references without an address space: clang would take them as generic ones.

use super::super::Complaints;
use super::super::arguments::split;
use super::super::items::{Item, ItemKind};
use super::types::is_builtin;
use super::{Look, is_space};
use std::collections::HashSet;
use std::ops::Range;

/// The names that are surely types in some place.
struct Names<'a> {
    /// Structures and enumerations, templates included.
    own: HashSet<&'a str>,
    /// The parameters of templates around the place.
    parameters: HashSet<&'a str>,
}

pub(super) fn check(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    let classes: Vec<&Item> = look.items.iter().filter(|i| i.kind == ItemKind::Type).collect();
    let own: HashSet<&str> = classes.iter().map(|i| i.name.as_str()).collect();
    for item in look.items {
        let around = classes.iter().filter(|c| c.tokens.contains(&item.tokens.start));
        let headers = around.filter_map(|c| c.template.clone()).chain(item.template.clone());
        let parameters = headers.flat_map(|h| parameters(look, h)).collect();
        let names = Names { own: own.clone(), parameters };
        let mut complain = |at: usize, rule: &str, of: String| {
            let kind = if source.is(at, "*") { "pointer" } else { "reference" };
            let what = format!(
                "{of}{kind} type must have an explicit address space qualifier: 'device', 'constant', 'threadgroup' or 'thread'"
            );
            complaints.rule(at, rule, what);
        };
        match &item.kind {
            ItemKind::Function { params, body } => {
                let kernel = (item.start..params.start).any(|i| source.is(i, "kernel"));
                for p in split(source, params.clone()) {
                    if let Some(at) = outer(look, p.clone()) {
                        complain(at, "pointer-to-pointer", format!("'{}': the outer ", item.name));
                    }
                    if kernel || (p.clone()).any(|i| source.is_attribute(i)) {
                        continue;
                    }
                    if let Some((at, dependent)) = bare(look, p.clone(), &names) {
                        let rule = match (dependent, source.text(at)) {
                            (true, _) => "template-pointer",
                            (_, "*") => "pointer-parameter",
                            _ => "reference-parameter",
                        };
                        complain(at, rule, format!("'{}': ", item.name));
                    }
                }
                let returned = item.start..item.name_at.min(params.start);
                if let Some((at, _)) = bare(look, returned, &names) {
                    complain(at, "returned-pointer", format!("what '{}' returns: ", item.name));
                }
                if let Some(body) = body {
                    statements(look, body.clone(), &names, &mut complain);
                    casts(look, body.clone(), &names, &mut complain);
                }
            }
            ItemKind::Other if item.in_class && !is_alias(look, item) => {
                let until = item.name_at.min(item.tokens.end);
                if let Some((at, _)) = bare(look, item.start..until, &names) {
                    complain(at, "member-pointer", format!("the member '{}': ", item.name));
                }
            }
            _ => {}
        }
    }
}

fn is_alias(look: &Look<'_>, item: &Item) -> bool {
    matches!(look.source.text(item.start), "using" | "typedef" | "friend" | "static_assert")
}

/// The names of type parameters in a template header.
fn parameters<'a>(look: &Look<'a>, header: Range<usize>) -> Vec<&'a str> {
    let source = look.source;
    split(source, header)
        .into_iter()
        .filter(|p| matches!(source.text(p.start), "typename" | "class"))
        .map(|p| source.text(p.start + 1))
        .collect()
}

/// Skips `const` and its kin.
fn past_qualifiers(look: &Look<'_>, mut k: usize, end: usize) -> usize {
    let words =
        ["const", "volatile", "static", "constexpr", "inline", "explicit", "struct", "friend"];
    while k < end {
        if words.contains(&look.source.text(k)) {
            k += 1;
        } else if look.source.is_attribute(k) {
            k = look.source.mate(k).unwrap_or(k) + 1;
        } else if look.source.is(k, "__attribute__") {
            k = look.source.mate(k + 1).unwrap_or(k) + 1;
        } else {
            break;
        }
    }
    k
}

/// Reads a type that starts at `k`: the index after it, and whether it is a template's parameter.
/// `None` if it is not surely a type, or has an address space.
fn type_at(look: &Look<'_>, k: usize, end: usize, names: &Names<'_>) -> Option<(usize, bool)> {
    let source = look.source;
    let mut k = past_qualifiers(look, k, end);
    while source.is(k + 1, "::") && matches!(source.text(k), "metal" | "simd") {
        k += 2;
    }
    let word = source.text(k);
    let dependent = names.parameters.contains(word);
    let other = matches!(word, "unsigned" | "signed" | "void" | "vec");
    if !(dependent || other || is_builtin(word) || names.own.contains(word)) {
        return None;
    }
    k += 1;
    while matches!(source.text(k), "int" | "char" | "short" | "long") {
        k += 1;
    }
    if source.is(k, "<") {
        k = source.after_angles(k, end)?;
    }
    while matches!(source.text(k), "const" | "volatile") {
        k += 1;
    }
    Some((k, dependent))
}

/// A whole declaration that is a pointer or reference with no address space: where its `*` is.
fn bare(look: &Look<'_>, tokens: Range<usize>, names: &Names<'_>) -> Option<(usize, bool)> {
    let source = look.source;
    if tokens.clone().any(|i| is_space(source.text(i))) {
        return None;
    }
    let (k, dependent) = type_at(look, tokens.start, tokens.end, names)?;
    let pointer = k < tokens.end && matches!(source.text(k), "*" | "&");
    // `T &&` takes over whatever the argument has.
    let forwarded = source.is(k, "&") && source.is(k + 1, "&") && dependent;
    (pointer && !forwarded).then_some((k, dependent))
}

/// `device float **p`: the `*` of a pointer that is itself nowhere. Each level has a space, in any
/// order: `device float *thread *p`, `thread device float **p`.
fn outer(look: &Look<'_>, declaration: Range<usize>) -> Option<usize> {
    let source = look.source;
    let mut stars = Vec::new();
    let mut spaces = 0;
    for k in declaration {
        match source.text(k) {
            "*" => stars.push(k),
            "=" | "[" | ";" => break,
            word if is_space(word) => spaces += 1,
            _ if source.is_ident(k) => {}
            _ => return None,
        }
    }
    (spaces > 0 && stars.len() > spaces).then(|| stars[stars.len() - 1])
}

type Complain<'c> = &'c mut dyn FnMut(usize, &str, String);

/// `float *p = …;` where a statement starts.
fn statements(look: &Look<'_>, body: Range<usize>, names: &Names<'_>, complain: Complain<'_>) {
    let source = look.source;
    for i in body.clone() {
        let before = source.text(i - 1);
        let loops = before == "(" && i > 1 && matches!(source.text(i - 2), "for" | "if" | "while");
        if !(matches!(before, ";" | "{" | "}") || loops) {
            continue;
        }
        if let Some(at) = outer(look, i..body.end).filter(|&at| source.is_ident(at + 1)) {
            complain(at, "pointer-to-pointer", format!("'{}': the outer ", source.text(at + 1)));
        }
        let Some((k, _)) = type_at(look, i, body.end, names) else {
            continue;
        };
        if matches!(source.text(k), "*" | "&")
            && source.is_ident(k + 1)
            && !is_space(source.text(k + 1))
            && matches!(source.text(k + 2), "=" | ";" | "," | "(" | "{" | ":")
        {
            complain(k, "local-pointer", format!("'{}': ", source.text(k + 1)));
        }
    }
}

/// `(float *)p` and `reinterpret_cast<float *>(p)`.
fn casts(look: &Look<'_>, body: Range<usize>, names: &Names<'_>, complain: Complain<'_>) {
    let source = look.source;
    for i in body.clone() {
        let inside = match source.text(i) {
            "(" => source.mate(i).map(|close| i + 1..close),
            "<" if i > 0 && source.text(i - 1).ends_with("_cast") => {
                source.after_angles(i, body.end).map(|after| i + 1..after - 1)
            }
            _ => None,
        };
        let Some(inside) = inside.filter(|r| !r.is_empty()) else {
            continue;
        };
        // Nothing but a type with its pointers.
        if let Some((k, _)) = type_at(look, inside.start, inside.end, names)
            && k < inside.end
            && (k..inside.end).all(|n| matches!(source.text(n), "*" | "&" | "const"))
            && matches!(source.text(k), "*" | "&")
        {
            complain(k, "cast-pointer", "a cast: ".into());
        }
    }
}
