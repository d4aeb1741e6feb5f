//! Functions whose address spaces OpenCL spells differently: methods and constructors, const
//! references, functions as template arguments.

use super::arguments::split;
use super::items::{Item, ItemKind};
use super::rewrite::Edits;
use super::temporaries;
use super::token::Source;
use std::collections::HashSet;
use std::ops::Range;

pub(super) fn is_space(text: &str) -> bool {
    matches!(text, "device" | "constant" | "threadgroup" | "thread")
}

/// Rewrites all of them.
pub(crate) fn rewrite(source: &Source, items: &[Item], edits: &mut Edits) {
    let mut kept: HashSet<String> = HashSet::new();
    function_aliases(source, items, edits);
    for item in items {
        if let Some(template) = &item.template {
            function_arguments(source, template.clone(), edits);
        }
        let ItemKind::Function { params, .. } = &item.kind else {
            continue;
        };
        for p in split(source, params.clone()) {
            by_value(source, p.clone(), item, edits);
            array(source, p, edits);
        }
        if let Some(template) = &item.template {
            sizes(source, template.clone(), item, edits);
        }
        let outside = !item.in_class && item.name_at > 0 && source.is(item.name_at - 1, "::");
        if item.in_class || outside {
            method(source, items, item, params.clone(), edits, &mut kept);
        }
    }
}

/// `using F = void (*)(int)`, if it is the type of a template's parameter: a reference for the same
/// reason as in [`function_arguments`].
fn function_aliases(source: &Source, items: &[Item], edits: &mut Edits) {
    let is_argument = |name: &str| {
        let headers = items.iter().filter_map(|item| item.template.clone());
        headers.into_iter().any(|mut header| header.any(|k| source.is(k, name)))
    };
    for i in 0..source.tokens.len() {
        if !source.is(i, "using") || !source.is(i + 2, "=") || !is_argument(source.text(i + 1)) {
            continue;
        }
        let alias = (i + 3..source.tokens.len()).take_while(|&k| !source.is(k, ";"));
        let pointer = |&k: &usize| {
            source.is(k, "(")
                && source.is(k + 1, "*")
                && source.is(k + 2, ")")
                && source.is(k + 3, "(")
        };
        if let Some(at) = alias.into_iter().find(pointer) {
            edits.replace(source.span(at + 1..at + 2), "&");
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
/// What copies an object takes one by any reference: by value it would be no such constructor.
fn by_value(source: &Source, p: Range<usize>, item: &Item, edits: &mut Edits) {
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
        let copies = item.in_class && source.is(amp - 1, &item.name);
        if !copies {
            edits.replace(source.span(amp..amp + 1), " ");
        }
    }
}

/// `T x[4]` as a parameter is an array in `thread` memory where nothing else is said.
fn array(source: &Source, p: Range<usize>, edits: &mut Edits) {
    let bounds = p.clone().find(|&i| source.is(i, "[") && !source.is_attribute(i));
    let Some(name) = bounds.map(|b| b - 1).filter(|&n| n > p.start && source.is_ident(n)) else {
        return;
    };
    if p.clone().any(|i| matches!(source.text(i), "(" | "=" | "&")) {
        return;
    }
    let indirect = (p.start..name).any(|i| source.is(i, "*"));
    if indirect {
        edits.insert(source.tokens[name].start, "__sm_thread ");
    } else if !p.clone().any(|i| is_space(source.text(i))) {
        edits.insert(source.tokens[p.start].start, "__sm_thread ");
    }
}

/// `template <typename T, uint N> … vec<T, N>`: widths are deduced as `int` and nothing else.
fn sizes(source: &Source, header: Range<usize>, item: &Item, edits: &mut Edits) {
    let ItemKind::Function { params, body } = &item.kind else {
        return;
    };
    for p in split(source, header) {
        let equals = p.clone().find(|&i| source.is(i, "=")).unwrap_or(p.end);
        let name = equals - 1;
        let kind = p.start..name;
        let integer = kind.len() == 1
            && matches!(
                source.text(p.start),
                "uint" | "uint32_t" | "size_t" | "ulong" | "ushort" | "short" | "uint8_t" | "uchar"
            );
        if !integer || !source.is_ident(name) {
            continue;
        }
        let is_width = |i: usize| {
            source.is(i, source.text(name))
                && source.is(i - 1, ",")
                && source.is(i + 1, ">")
                && (i.saturating_sub(8)..i).any(|k| matches!(source.text(k), "vec" | "packed_vec"))
        };
        if !params.clone().any(is_width) {
            continue;
        }
        let (text, kind) = (source.text(name), source.text(p.start));
        edits.replace(source.span(p.start..p.start + 1), "int");
        edits.replace(source.span(name..name + 1), format!("__sm_n_{text}"));
        for i in (item.start..params.end).filter(|&i| source.is(i, text)) {
            let plain = is_width(i) || source.is(i + 1, ">") && source.is(i - 1, ",");
            let spelled = format!("__sm_n_{text}");
            edits.replace(
                source.span(i..i + 1),
                if plain { spelled } else { format!("{kind}({spelled})") },
            );
        }
        if let Some(body) = body {
            edits.insert(
                source.tokens[body.start - 1].end,
                format!(" constexpr {kind} {text} = __sm_n_{text};"),
            );
        }
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
    let class = class_of(source, items, item);
    let owner = match class {
        Some(c) => c.start.to_string(),
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
    let constructor = class.is_some_and(|c| c.name == item.name);
    let (spaces, mut words, end) = qualifiers(source, params.end + 1);
    // Copies from and to every address space are made without saying so.
    let copies = class.is_some_and(|c| params.clone().any(|i| source.is(i, &c.name)));
    if copies && source.is(end, "=") && source.is(end + 1, "default") {
        edits.replace(source.span(item.tokens.clone()), " ");
        return;
    }
    let space = match spaces.first() {
        _ if constructor => "",
        Some(&"device" | &"constant") => " __global",
        Some(&"threadgroup") => " __local",
        _ => " __private",
    };
    // What is in constant memory is const.
    if spaces.first() == Some(&"constant") && !constructor && !words.contains("const") {
        words.push_str(" const");
    }
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
    if let (" __global", Some(&first)) = (space, spaces.first()) {
        own_members(source, items, item, first, words.contains("const"), edits);
    }
    // Once, however many conversions the class has.
    if let Some(class) = class.filter(|_| is_conversion(source, item))
        && kept.insert(format!("{owner}|steps"))
    {
        steps(source, class, item, edits);
    }
    let mut lvalue = "";
    if let Some(class) = class.filter(|_| !constructor)
        && temporaries::may_be_called(source, items, class, item)
    {
        lvalue = " &";
        if space == " __private" {
            temporaries::second_version(source, class, item, params.clone(), &words, edits);
        }
    }
    let close = source.span(params.end..params.end + 1).end;
    if end > params.end + 1 {
        edits.replace(source.span(params.end + 1..end), format!("{words}{space}{lvalue}"));
    } else if !space.is_empty() {
        edits.insert(close, format!("{space}{lvalue}"));
    }
}

/// `operator int() const { … }`
fn is_conversion(source: &Source, item: &Item) -> bool {
    let plain =
        item.template.is_none() && matches!(item.kind, ItemKind::Function { body: Some(_), .. });
    plain && item.name == "operator" && source.is_ident(item.name_at + 1)
}

/// `p += c` where c becomes an integer: clang's own candidates take no pointer variable of a thread.
/// Whether it does is asked when it is used.
fn steps(source: &Source, class: &Item, item: &Item, edits: &mut Edits) {
    let one = |op: &str| {
        format!(
            " template <class __sm_p> friend __sm_p *&operator {op}=(__sm_p *&p, {} c) {{ return p = p {op} decltype(p - p)(c); }}",
            class.name
        )
    };
    edits.insert(source.span(item.tokens.clone()).end, one("+") + &one("-"));
}

/// The innermost class whose body a declaration stands in.
fn class_of<'a>(source: &Source, items: &'a [Item], item: &Item) -> Option<&'a Item> {
    items
        .iter()
        .filter(|c| c.kind == ItemKind::Type && c.tokens.contains(&item.start))
        .filter(|c| c.start != item.start && source.is_ident(c.name_at))
        .min_by_key(|c| c.tokens.len())
}

/// What stands between a parameter list and the body: address spaces, the other words, the end.
pub(super) fn qualifiers(source: &Source, at: usize) -> (Vec<&str>, String, usize) {
    let (mut spaces, mut words, mut end) = (Vec::new(), String::new(), at);
    while matches!(source.text(end), "const" | "volatile") || is_space(source.text(end)) {
        if is_space(source.text(end)) {
            spaces.push(source.text(end));
        } else {
            words.push_str(&format!(" {}", source.text(end)));
        }
        end += 1;
    }
    (spaces, words, end)
}

/// OpenCL has one word for methods of objects in `device` and in `constant` memory, `__global`, and
/// takes the members to be there too. A pointer that knows better stands in for `this`.
fn own_members(
    source: &Source,
    items: &[Item],
    item: &Item,
    space: &str,
    constant: bool,
    edits: &mut Edits,
) {
    let ItemKind::Function { params, body: Some(body) } = &item.kind else {
        return;
    };
    let class = class_of(source, items, item).or_else(|| {
        let owner = source.text(item.name_at.checked_sub(2)?);
        items.iter().find(|c| c.kind == ItemKind::Type && c.name == owner)
    });
    let Some(class) = class else {
        return;
    };
    let members = data_members(source, items, class);
    let hidden = |name: &str| {
        let declared = |i: usize| {
            source.is(i, name)
                && (source.is_ident(i - 1) && !source.is(i - 1, "return")
                    || matches!(source.text(i - 1), "*" | "&" | ">") && source.is(i + 1, "="))
        };
        params.clone().any(|i| source.is(i, name)) || body.clone().any(declared)
    };
    let mut used = false;
    for i in body.clone().filter(|&i| source.is_ident(i)) {
        let name = source.text(i);
        let bare = !matches!(source.text(i - 1), "." | "->" | "::");
        if name == "this" {
            edits.replace(source.span(i..i + 1), "__sm_here");
        } else if bare && members.contains(name) && !hidden(name) {
            edits.replace(source.span(i..i + 1), format!("__sm_here->{name}"));
        } else {
            continue;
        }
        used = true;
    }
    if used {
        let space = if space == "device" { "__sm_device" } else { "__sm_host" };
        let object = format!("{}{space} {} *", if constant { "const " } else { "" }, class.name);
        edits.insert(
            source.tokens[body.start - 1].end,
            format!(" {object}const __sm_here = ({object})this;"),
        );
    }
}

/// The names of a class's variables, those of unnamed parts included.
fn data_members<'a>(source: &'a Source, items: &[Item], class: &Item) -> HashSet<&'a str> {
    let mut out = HashSet::new();
    for item in items.iter().filter(|i| i.kind == ItemKind::Other && i.in_class) {
        let words = ["using", "typedef", "static", "static_assert", "friend", "template"];
        if words.contains(&source.text(item.start))
            || class_of(source, items, item).is_none_or(|c| c.start != class.start)
        {
            continue;
        }
        let mut next = item.start + 1;
        while next < item.tokens.end {
            let k = next;
            // `vec<T, N> v`: what is between the angles declares nothing.
            let angles = source.is(k, "<").then(|| source.after_angles(k, item.tokens.end));
            next = angles.flatten().unwrap_or(k + 1);
            let after = source.text(k + 1);
            if source.is_ident(k) && matches!(after, ";" | "," | "[" | "=" | "{" | ":" | ")") {
                out.insert(source.text(k));
            }
        }
    }
    out
}
