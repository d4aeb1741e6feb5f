//! Variables in `threadgroup` and `constant` memory, which OpenCL would have elsewhere, and
//! function constants, which get their values when a pipeline is made.

use super::attributes;
use super::items::{Item, ItemKind};
use super::kernels::{Kernel, tag_name};
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
    while SPECIFIERS.contains(&source.text(k)) || source.is(k, "alignas") {
        k = if source.is(k, "alignas") { source.mate(k + 1)? + 1 } else { k + 1 };
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
    // `constant T S::low = …;`: the class has declared it.
    let name = member(source, k);
    let qualified = name != k;
    k = name;
    let mut after = source.text(k + 1);
    if after == "<" {
        // `v<int> = true`: a specialisation of a variable template.
        after = source.text(source.after_angles(k + 1, source.tokens.len())?);
        if after == "(" {
            return None;
        }
    }
    let plain = matches!(after, "[" | "=" | ";" | "," | "{" | "(" | "__attribute__" | "alignas");
    plain.then_some(Declared {
        specifiers: first..at,
        space: at,
        kind,
        declarators: k,
        templated: boundary == ">" || qualified,
    })
}

/// The last part of a name such as `S<T>::low` that starts at `k`; `k` itself where it is plain.
fn member(source: &Source, k: usize) -> usize {
    let mut after = k + 1;
    if source.is(after, "<") {
        after = source.after_angles(after, source.tokens.len()).unwrap_or(after);
    }
    if source.is(after, "::") && source.is_ident(after + 1) {
        return member(source, after + 1);
    }
    k
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
    let mut derived: HashSet<String> = HashSet::new();
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
            if function.is_none() {
                specialised(source, &d, &out.constants, &mut derived, edits);
            }
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
                let tag = tag_name(items, kernels, item);
                threadgroup(source, &d, (&items[item], &tag), edits, complaints, &mut out.slots);
                out.tagged.insert(item);
            }
            _ => {
                complaints.at(i, "a threadgroup variable can only be declared in a kernel function")
            }
        }
    }
    for &item in &out.tagged {
        tag(source, &items[item], &tag_name(items, kernels, item), edits);
    }
    out
}

/// What is made of function constants has its value when those have theirs: no rule says that it
/// is a constant expression.
fn specialised(
    source: &Source,
    d: &Declared,
    constants: &[Constant],
    derived: &mut HashSet<String>,
    edits: &mut Edits,
) {
    let (names, end) = declarators(source, d.declarators);
    let own = |i: usize| {
        let name = source.text(i);
        constants.iter().any(|c| c.name == name) || derived.contains(name)
    };
    if !(d.declarators + 1..end).any(own) {
        return;
    }
    derived.extend(names.iter().map(|n| source.text(n.name).to_string()));
    let before = source.tokens[d.specifiers.start.min(d.space)].start;
    edits.insert(
        before,
        "_Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic ignored \\\"-Wglobal-constructors\\\"\") ",
    );
    if let Some(t) = source.tokens.get(end) {
        edits.insert(t.end, " _Pragma(\"clang diagnostic pop\")");
    }
}

/// `threadgroup T a[N];` becomes a reference to storage that the threadgroup owns.
fn threadgroup(
    source: &Source,
    d: &Declared,
    (kernel, tag): (&Item, &str),
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
    slots: &mut u32,
) {
    let kind = spelled(source, d.kind.clone());
    let (names, end) = declarators(source, d.declarators);
    let own = match &kernel.template {
        Some(t) => format!("{tag}<{}>::v", template_names(source, t.clone())),
        None => format!("{tag}::v"),
    };
    let ItemKind::Function { body: Some(body), .. } = &kernel.kind else {
        return;
    };
    let alignment = aligned(source, d.specifiers.start..d.kind.start);
    let mut text = String::new();
    for n in names {
        let (slot, name) = (*slots, source.text(n.name));
        let (attributes, rest) = trailing(source, n.bounds.end..n.end);
        if !rest.is_empty() && !is_zero(source, rest) {
            complaints.at(n.name, "a threadgroup variable cannot have an initializer");
        }
        let bounds = spelled(source, n.bounds);
        let aligned: String = [alignment.as_str(), attributes.as_str()].concat();
        let declared = format!("typedef {kind} __sm_type_{slot} {bounds};");
        let reference = format!(
            "__local __sm_type_{slot} &{name} = *(__local __sm_type_{slot} *)__sm_shared_at({slot});"
        );
        text.push_str(&declared);
        // What nothing names takes no memory.
        if body.clone().filter(|&i| source.is(i, name)).count() > 1 {
            text.push_str(&format!(
                " struct __sm_align_{slot} {{ char c{aligned}; }};\
                  __SM_SHARED({slot}, __sm_type_{slot}, __sm_align_{slot}, &{own})"
            ));
        }
        text.push_str(&format!(" {reference}"));
        *slots += 1;
    }
    edits.replace(source.span(d.specifiers.start.min(d.space)..end + 1), text);
}

/// The attributes after a declarator, as text for clang, and what is left: an initializer.
fn trailing(source: &Source, tokens: Range<usize>) -> (String, Range<usize>) {
    let mut k = tokens.start;
    while k < tokens.end && matches!(source.text(k), "__attribute__" | "alignas") {
        k = source.mate(k + 1).map_or(tokens.end, |m| m + 1);
    }
    (aligned(source, tokens.start..k), k..tokens.end)
}

/// `alignas(…)` and `__attribute__((aligned(…)))` in a range, as attributes that go after a name.
fn aligned(source: &Source, tokens: Range<usize>) -> String {
    let mut out = String::new();
    for k in tokens.filter(|&k| matches!(source.text(k), "alignas" | "aligned")) {
        if let Some(close) = source.mate(k + 1) {
            let size = spelled(source, k + 2..close);
            out.push_str(&format!(" __attribute__((aligned({size})))"));
        }
    }
    out
}

/// `{}`, `= 0`, `= {0}`: an initializer that Metal takes, and that sets nothing: threads find the
/// memory as it was.
fn is_zero(source: &Source, tokens: Range<usize>) -> bool {
    let zero = |t: &str| {
        let digits = t.trim_end_matches(['f', 'h', 'u', 'l', 'F', 'H', 'U', 'L']);
        !digits.is_empty() && digits.chars().all(|c| matches!(c, '0' | '.'))
    };
    tokens.clone().all(|k| {
        let t = source.text(k);
        matches!(t, "=" | "{" | "}" | "," | "false") || zero(t)
    })
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
fn tag(source: &Source, kernel: &Item, name: &str, edits: &mut Edits) {
    let header = match &kernel.template {
        Some(t) => format!("template <{}> ", super::methods::template_header(source, t.clone())),
        None => String::new(),
    };
    let text = format!("{header}struct {name} {{ static inline const __global char v = 0; }}; ");
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
