//! Variables in `threadgroup` and `constant` memory, which OpenCL would have elsewhere, and
//! function constants, which get their values when a pipeline is made.

use super::attributes;
use super::items::{Item, ItemKind};
use super::kernels::Kernel;
use super::rewrite::{Edits, spelled};
use super::token::Source;
use super::{Complaints, Constant};
use std::collections::HashSet;
use std::ops::Range;

/// What was found.
pub(crate) struct Variables {
    pub(crate) constants: Vec<Constant>,
    pub(crate) slots: u32,
    /// Items that have threadgroup variables.
    pub(crate) tagged: HashSet<usize>,
}

const SPECIFIERS: &[&str] = &["static", "constexpr", "const", "inline", "volatile", "extern"];

/// A declaration `[specifiers] SPACE type name …` of a variable that lives in the space itself.
struct Declared {
    specifiers: Range<usize>,
    space: usize,
    kind: Range<usize>,
    declarators: usize,
    templated: bool,
}

/// Reads the declaration around the address space at `at`; `None` if it qualifies a pointee.
fn declared(source: &Source, at: usize) -> Option<Declared> {
    // `static constexpr int constant n = 3;`: the type may stand before the space.
    let early = at > 0
        && matches!(
            source.text(at - 1),
            "int"
                | "uint"
                | "float"
                | "bool"
                | "short"
                | "ushort"
                | "half"
                | "size_t"
                | "char"
                | "uchar"
        )
        && source.is_ident(at + 1)
        && matches!(source.text(at + 2), "=" | ";" | "[");
    let mut first = if early { at - 1 } else { at };
    loop {
        if first == 0 {
            break;
        }
        let before = source.text(first - 1);
        if SPECIFIERS.contains(&before) {
            first -= 1;
        } else if before == ")"
            && source.mate(first - 1).is_some_and(|o| o > 0 && source.is(o - 1, "alignas"))
        {
            first = source.mate(first - 1)? - 1;
        } else {
            break;
        }
    }
    let boundary = if first == 0 { ";" } else { source.text(first - 1) };
    if !matches!(boundary, ";" | "{" | "}" | ":" | ">") {
        return None;
    }
    if early {
        return Some(Declared {
            specifiers: first..at,
            space: at,
            kind: at - 1..at,
            declarators: at + 1,
            templated: boundary == ">",
        });
    }
    let mut k = at + 1;
    while SPECIFIERS.contains(&source.text(k)) {
        k += 1;
    }
    let start = k;
    if source.is(k, "typename") || source.is(k, "struct") {
        k += 1;
    }
    if matches!(source.text(k), "unsigned" | "signed") {
        k += 1;
        while matches!(source.text(k), "int" | "char" | "short" | "long") {
            k += 1;
        }
    } else {
        loop {
            if !source.is_ident(k) {
                return None;
            }
            k += 1;
            if source.is(k, "<") {
                k = source.after_angles(k, source.tokens.len())?;
            }
            if !source.is(k, "::") {
                break;
            }
            k += 1;
        }
    }
    let kind = start..k;
    while SPECIFIERS.contains(&source.text(k)) {
        k += 1;
    }
    if !source.is_ident(k) {
        return None;
    }
    let mut after = source.text(k + 1);
    if after == "<" {
        // `v<int> = true`: a specialisation of a variable template.
        after = source.text(source.after_angles(k + 1, source.tokens.len())?);
        if after == "(" {
            return None;
        }
    }
    let plain = matches!(after, "[" | "=" | ";" | "," | "{" | "(");
    plain.then_some(Declared {
        specifiers: first..at,
        space: at,
        kind,
        declarators: k,
        templated: boundary == ">",
    })
}

/// `constant constexpr float S<4>::table[2];`: what a class has already defined, said once more.
fn redeclared(source: &Source, at: usize) -> Option<Range<usize>> {
    let mut first = at;
    while first > 0 && SPECIFIERS.contains(&source.text(first - 1)) {
        first -= 1;
    }
    let boundary = if first == 0 { ";" } else { source.text(first - 1) };
    let end = (at..source.tokens.len()).find(|&k| source.is(k, ";"))?;
    let last = (at..end).rev().find(|&k| source.is(k, "::"))?;
    let plain = !(at..end).any(|k| matches!(source.text(k), "=" | "(" | "{" | "*" | "&"));
    let member = source.is_ident(last + 1) && matches!(source.text(last + 2), "[" | ";");
    (matches!(boundary, ";" | "}" | ">") && plain && member).then_some(first..end + 1)
}

/// One name of a declaration: its token, where its array bounds start, and where it ends.
struct Declarator {
    name: usize,
    bounds: Range<usize>,
    end: usize,
}

fn declarators(source: &Source, mut k: usize) -> (Vec<Declarator>, usize) {
    let mut out = Vec::new();
    while source.is_ident(k) {
        let name = k;
        k += 1;
        if source.is(k, "<") {
            k = source.after_angles(k, source.tokens.len()).unwrap_or(k + 1);
        }
        let start = k;
        while source.is(k, "[") && !source.is_attribute(k) {
            k = source.mate(k).unwrap_or(k) + 1;
        }
        let bounds = start..k;
        while k < source.tokens.len() && !matches!(source.text(k), ";" | ",") {
            k = match source.text(k) {
                "(" | "[" | "{" => source.mate(k).unwrap_or(k) + 1,
                "<" => source.after_angles(k, source.tokens.len()).unwrap_or(k + 1),
                _ => k + 1,
            };
        }
        out.push(Declarator { name, bounds, end: k });
        if source.is(k, ",") {
            k += 1;
        } else {
            break;
        }
    }
    (out, k)
}

/// Rewrites all such variables.
pub(crate) fn rewrite(
    source: &Source,
    items: &[Item],
    kernels: &[Kernel],
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
) -> Variables {
    let mut out = Variables { constants: Vec::new(), slots: 0, tagged: HashSet::new() };
    let bodies: Vec<(usize, Range<usize>)> = items
        .iter()
        .enumerate()
        .filter_map(|(n, i)| match &i.kind {
            ItemKind::Function { body: Some(b), .. } => Some((n, b.clone())),
            _ => None,
        })
        .collect();
    let classes: Vec<Range<usize>> =
        items.iter().filter(|i| i.kind == ItemKind::Type).map(|i| i.tokens.clone()).collect();
    for i in 0..source.tokens.len() {
        let space = source.text(i);
        if space != "threadgroup" && space != "constant" {
            continue;
        }
        let Some(d) = declared(source, i) else {
            if space == "constant"
                && let Some(again) = redeclared(source, i)
            {
                edits.replace(source.span(again), "");
            }
            continue;
        };
        let function = bodies.iter().find(|(_, b)| b.contains(&i)).map(|(n, _)| *n);
        if space == "constant" {
            let in_class = function.is_none() && classes.iter().any(|c| c.contains(&i));
            constant(
                source,
                &d,
                function.is_some(),
                in_class,
                edits,
                complaints,
                &mut out.constants,
            );
            continue;
        }
        match function {
            Some(item) if kernels.iter().any(|k| k.item == item) => {
                threadgroup(source, &d, &items[item], edits, complaints, &mut out.slots);
                out.tagged.insert(item);
            }
            _ => {
                complaints.at(i, "a threadgroup variable can only be declared in a kernel function")
            }
        }
    }
    for &item in &out.tagged {
        tag(source, &items[item], edits);
    }
    out
}

/// `threadgroup T a[N];` becomes a reference to storage that the threadgroup owns.
fn threadgroup(
    source: &Source,
    d: &Declared,
    kernel: &Item,
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
    slots: &mut u32,
) {
    let kind = spelled(source, d.kind.clone());
    let (names, end) = declarators(source, d.declarators);
    let own = match &kernel.template {
        Some(t) => format!("__sm_tag_{}<{}>::v", kernel.name, template_names(source, t.clone())),
        None => format!("__sm_tag_{}::v", kernel.name),
    };
    let mut text = String::new();
    for n in names {
        if n.bounds.end != n.end {
            complaints.at(n.name, "a threadgroup variable cannot have an initializer");
        }
        let (slot, name) = (*slots, source.text(n.name));
        let bounds = spelled(source, n.bounds);
        text.push_str(&format!(
            "typedef {kind} __sm_type_{slot} {bounds}; __SM_SHARED({slot}, __sm_type_{slot}, &{own}) \
             __local __sm_type_{slot} &{name} = *(__local __sm_type_{slot} *)__sm_shared_at({slot});"
        ));
        *slots += 1;
    }
    edits.replace(source.span(d.specifiers.start.min(d.space)..end + 1), text);
}

/// The names a template header declares, as arguments: `typename T, int N = 2` is `T, N`.
fn template_names(source: &Source, header: Range<usize>) -> String {
    let mut out = Vec::new();
    for p in super::arguments::split(source, header) {
        // `void (*f)(int)`: the name is inside the parentheses.
        let pointer = p
            .clone()
            .find(|&i| source.is(i, "(") && source.is(i + 1, "*") && source.is(i + 3, ")"));
        if let Some(open) = pointer {
            out.push(source.text(open + 2).to_string());
            continue;
        }
        let equals = p.clone().find(|&i| source.is(i, "=")).unwrap_or(p.end);
        let last = equals - 1;
        // A parameter without a name has a default and comes last; leave it to that.
        if last > p.start && source.is_ident(last) {
            let pack = (p.start..last).any(|i| source.is(i, "."));
            out.push(format!("{}{}", source.text(last), if pack { "..." } else { "" }));
        }
    }
    out.join(", ")
}

/// Gives each instantiation of a kernel an object of its own, to tell its variables by.
fn tag(source: &Source, kernel: &Item, edits: &mut Edits) {
    let header = match &kernel.template {
        Some(t) => format!("template <{}> ", super::methods::template_header(source, t.clone())),
        None => String::new(),
    };
    let text = format!(
        "{header}struct __sm_tag_{} {{ static inline const __global char v = 0; }}; ",
        kernel.name
    );
    edits.insert(source.tokens[kernel.tokens.start].start, text);
}

/// Whether a scalar is used as nothing but a whole argument: it may then be taken by reference,
/// and is surely no part of a constant expression.
fn only_passed_on(source: &Source, name: usize) -> bool {
    let mut used = false;
    for i in name + 1..source.tokens.len() {
        if source.is_ident(i) && source.text(i) == source.text(name) {
            if !matches!(source.text(i - 1), "(" | ",") || !matches!(source.text(i + 1), ")" | ",")
            {
                return false;
            }
            used = true;
        }
    }
    used
}

fn constant(
    source: &Source,
    d: &Declared,
    in_function: bool,
    in_class: bool,
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
    constants: &mut Vec<Constant>,
) {
    let has = |word: &str| (d.specifiers.start..d.kind.start).any(|i| source.is(i, word));
    let space = source.span(d.space..d.space + 1);
    let (names, end) = declarators(source, d.declarators);
    // A function constant: the attribute stands right after the name.
    for n in &names {
        let mut k = n.bounds.end;
        while k < n.end {
            if !source.is_attribute(k) {
                k += 1;
                continue;
            }
            let (list, after) = attributes::read(source, k);
            if let Some(a) = list.iter().find(|a| a.name == "function_constant") {
                let Some(id) =
                    attributes::integer(source, a.args.clone()).and_then(|n| u16::try_from(n).ok())
                else {
                    complaints.at(
                        a.at,
                        "[[function_constant(n)]] needs a constant index from 0 to 65535",
                    );
                    return;
                };
                let name = source.text(n.name).to_string();
                let type_name = source.joined(d.kind.clone());
                if constants.iter().any(|c| c.id == u32::from(id) && c.name != name) {
                    complaints.at(n.name, format!("two function constants have the index {id}"));
                }
                constants.push(Constant { id: id.into(), name, type_name });
                edits.replace(
                    space.clone(),
                    if has("constexpr") { "__sm_constvar" } else { "constexpr __sm_constvar" },
                );
                edits.replace(source.span(n.bounds.end..n.end), format!(" = __SM_FC_{id}"));
                return;
            }
            k = after;
        }
    }
    let needs_static = in_function && !has("static");
    edits.replace(space, if needs_static { "static __sm_constvar" } else { "__sm_constvar" });
    if in_class || d.templated {
        return;
    }
    let mut views = String::new();
    for n in names.iter().filter(|n| !n.bounds.is_empty() || only_passed_on(source, n.name)) {
        let name = source.text(n.name);
        edits.replace(source.span(n.name..n.name + 1), format!("__sm_data_{name}"));
        views.push_str(&format!(
            " static __sm_host_of<decltype(__sm_data_{name})> &{name} = \
             (__sm_host_of<decltype(__sm_data_{name})> &)__sm_data_{name};"
        ));
    }
    if !views.is_empty()
        && let Some(t) = source.tokens.get(end)
    {
        edits.insert(t.end, views);
    }
}
