//! Where variables may live: outside of functions, in classes, and `static` or `threadgroup` ones in
//! functions.

use super::super::Complaints;
use super::super::items::{Item, ItemKind};
use super::super::kernels::attributes_in;
use super::positions::is_builtin;
use super::types::Types;
use super::{Look, is_member, is_space};
use std::ops::Range;

pub(super) fn check(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let types = Types::new(look);
    for item in look.items {
        match &item.kind {
            ItemKind::Other if is_variable(look, item) => {
                if item.in_class {
                    member(look, item, complaints);
                } else {
                    program_scope(look, item, &types, complaints);
                }
            }
            ItemKind::Function { params, body: Some(body) } => {
                let head = item.start..params.start;
                let kernel =
                    attributes_in(look.source, head.clone()).iter().any(|a| a.name == "kernel")
                        || head.clone().any(|i| look.source.is(i, "kernel"));
                locals(look, item, body.clone(), kernel, complaints);
            }
            _ => {}
        }
    }
}

/// Whether a declaration declares a variable: `specifiers type name …;`.
fn is_variable(look: &Look<'_>, item: &Item) -> bool {
    let source = look.source;
    let other = matches!(
        source.text(item.start),
        "using"
            | "typedef"
            | "static_assert"
            | "friend"
            | "namespace"
            | "struct"
            | "class"
            | "union"
            | "enum"
            | "asm"
            | "__asm__"
            | "template"
            | "public"
            | "private"
    );
    let after = source.text(item.name_at.wrapping_add(1));
    !other
        && item.name_at != usize::MAX
        && item.name_at > item.start
        && source.is_ident(item.name_at)
        && matches!(after, "=" | ";" | "[" | "{" | ",")
        && !source.is(item.name_at - 1, "::")
}

fn has(look: &Look<'_>, range: Range<usize>, word: &str) -> bool {
    range.clone().any(|i| look.source.is(i, word))
}

fn program_scope(look: &Look<'_>, item: &Item, types: &Types, complaints: &mut Complaints<'_>) {
    let source = look.source;
    let before = item.start..item.name_at;
    let attributes = attributes_in(source, item.name_at..item.tokens.end);
    let name = item.name.as_str();
    if attributes.iter().any(|a| is_builtin(&a.name)) {
        if look.version < 310 {
            let what =
                format!("'{name}': positions outside of functions are there since Metal 3.1");
            complaints.rule(item.name_at, "since-global-positions", what);
        }
        return;
    }
    if has(look, before.clone(), "sampler") {
        return;
    }
    if !has(look, before.clone(), "constant") {
        let is = |word: &str| has(look, before.clone(), word);
        let space = before.clone().map(|i| source.text(i)).find(|w| is_space(w));
        let (rule, why) = if attributes.iter().any(|a| a.name == "function_constant") {
            ("function-constant-space", "a function constant".to_string())
        } else if let Some(space) = space {
            ("program-scope-space", format!("a '{space}' variable"))
        } else if is("constexpr") {
            ("program-scope-constexpr", "a 'constexpr' variable".into())
        } else if is("static") {
            ("program-scope-static", "a 'static' variable".into())
        } else if is("const") {
            ("program-scope-const", "a 'const' variable".into())
        } else {
            ("program-scope-variable", "a variable".into())
        };
        let what = format!(
            "'{name}', {why} outside of functions, must reside in the constant address space: 'constant'"
        );
        return complaints.rule(item.name_at, rule, what);
    }
    if let Some(call) = runtime_call(look, item) {
        let what = format!(
            "'{name}', in the constant address space, has a value that is no constant expression: '{}' is not 'constexpr'",
            source.text(call)
        );
        return complaints.rule(item.name_at, "constant-known", what);
    }
    let mut after = item.name_at + 1;
    while source.is(after, "[") && !source.is_attribute(after) {
        after = source.mate(after).unwrap_or(after) + 1;
    }
    let words = before.clone().map(|i| source.text(i));
    let words = words.filter(|w| !is_space(w) && !matches!(*w, "static" | "constexpr"));
    if source.is(after, ";")
        && attributes.is_empty()
        && !has(look, before.clone(), "extern")
        && types.shape(words).is_some()
    {
        let what = format!("'{name}', in the constant address space, has no value");
        complaints.rule(item.name_at, "constant-uninitialised", what);
    }
}

/// A call, in the value of a variable, of a function that is not `constexpr`.
fn runtime_call(look: &Look<'_>, item: &Item) -> Option<usize> {
    let source = look.source;
    (item.name_at + 1..item.tokens.end).find(|&i| {
        let mut named =
            look.items.iter().filter(|f| !f.in_class && f.name == source.text(i)).peekable();
        source.is(i + 1, "(")
            && !is_member(source, i)
            && named.peek().is_some()
            && named.all(|f| match &f.kind {
                ItemKind::Function { params, .. } => !has(look, f.start..params.start, "constexpr"),
                _ => false,
            })
    })
}

fn member(look: &Look<'_>, item: &Item, complaints: &mut Complaints<'_>) {
    let before = item.start..item.name_at;
    if has(look, before.clone(), "static") && !has(look, before, "constant") {
        let what = format!(
            "the static member '{}' must reside in the constant address space: 'static constant'",
            item.name
        );
        complaints.rule(item.name_at, "static-member", what);
    }
}

/// `static` and `threadgroup` variables of a function.
fn locals(
    look: &Look<'_>,
    item: &Item,
    body: Range<usize>,
    kernel: bool,
    complaints: &mut Complaints<'_>,
) {
    let source = look.source;
    for i in body.clone() {
        let starts = matches!(source.text(i - 1), ";" | "{" | "}" | ":" | ")");
        let word = source.text(i);
        if !(word == "static" || word == "threadgroup" && starts && !kernel) {
            continue;
        }
        // To the end of the first name: a parenthesis makes it a function or a cast.
        let mut end = i;
        while end < body.end && !matches!(source.text(end), ";" | "=" | "{" | "(" | "[" | "," | ")")
        {
            end = match source.text(end) {
                "<" => source.after_angles(end, body.end).unwrap_or(end + 1),
                _ => end + 1,
            };
        }
        if matches!(source.text(end), "(" | ")") || !source.is_ident(end - 1) || end < i + 3 {
            continue;
        }
        let name = source.text(end - 1);
        if word == "static" && !has(look, i..end, "constant") {
            let what = format!(
                "'{name}' is static: a variable in a function can only be so in the constant address space"
            );
            complaints.rule(end - 1, "static-local", what);
        }
        let direct = !(i..end).any(|k| matches!(source.text(k), "*" | "&"));
        if word == "threadgroup" && direct {
            let what = format!(
                "'{name}' in '{}': a threadgroup variable can only be declared in a kernel function",
                item.name
            );
            complaints.rule(i, "threadgroup-variable", what);
        }
    }
}
