//! Kernels: their arguments and attributes, and the instantiations of template kernels.

use super::attributes::{self, Attribute};
use super::items::{Item, ItemKind};
use super::reach::Reach;
use super::rewrite::{Edits, spelled};
use super::token::{Kind, Source};
use super::variables::Variables;
use super::{Arg, ArgKind, Complaints, Entry};
use std::ops::Range;

/// A kernel function as it is written.
pub(crate) struct Kernel {
    pub(crate) item: usize,
    pub(crate) args: Vec<Arg>,
    host_name: Option<String>,
    max_threads: Option<u32>,
}

/// Index attributes of compute kernels.
const BUILTINS: &[&str] = &[
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threads_per_grid",
    "threads_per_threadgroup",
    "dispatch_threads_per_threadgroup",
    "threadgroups_per_grid",
    "thread_index_in_threadgroup",
    "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "threads_per_simdgroup",
    "thread_execution_width",
    "thread_index_in_quadgroup",
    "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",
    "dispatch_quadgroups_per_threadgroup",
    "quadgroup_index_in_simdgroup",
    "grid_origin",
    "grid_size",
];

/// Arguments of other kinds of function, or of things that softmetal has not.
const REFUSED: &[(&str, &str)] = &[
    ("texture", "textures are not supported"),
    ("sampler", "samplers are not supported"),
    ("stage_in", "[[stage_in]] is not supported"),
    ("imageblock_data", "imageblocks are not supported"),
    ("payload", "mesh and object functions are not supported"),
];

/// The attributes written before a declaration or a name, within `tokens`.
fn attributes_in(source: &Source, tokens: Range<usize>) -> Vec<Attribute> {
    let mut out = Vec::new();
    let mut k = tokens.start;
    while k < tokens.end {
        if source.is_attribute(k) {
            let (list, after) = attributes::read(source, k);
            out.extend(list);
            k = after;
        } else {
            k += 1;
        }
    }
    out
}

/// `"a" "b"` as one string.
fn string(source: &Source, tokens: Range<usize>) -> Option<String> {
    let mut out = String::new();
    for i in tokens {
        let t = source.text(i);
        out.push_str(t.strip_prefix('"')?.strip_suffix('"')?);
    }
    Some(out)
}

/// Finds every kernel and reads its arguments.
pub(crate) fn kernels(
    source: &Source,
    items: &[Item],
    complaints: &mut Complaints<'_>,
) -> Vec<Kernel> {
    let mut out = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let ItemKind::Function { params, body } = &item.kind else {
            continue;
        };
        let head = item.start..params.start.saturating_sub(1);
        let attributes = attributes_in(source, head.clone());
        for kind in ["vertex", "fragment", "mesh", "object"] {
            let keyword = head.clone().any(|i| source.is(i, kind) && i != item.name_at);
            if keyword || attributes.iter().any(|a| a.name == kind) {
                complaints.at(
                    item.name_at,
                    format!("{kind} functions are not supported: softmetal runs compute kernels"),
                );
            }
        }
        let keyword = head.clone().any(|i| source.is(i, "kernel") && i != item.name_at);
        if !keyword && !attributes.iter().any(|a| a.name == "kernel") {
            continue;
        }
        if body.is_none() {
            continue;
        }
        let host_name = attributes
            .iter()
            .find(|a| a.name == "host_name")
            .and_then(|a| string(source, a.args.clone()));
        let max_threads = attributes
            .iter()
            .find(|a| a.name == "max_total_threads_per_threadgroup")
            .and_then(|a| attributes::integer(source, a.args.clone()))
            .and_then(|n| u32::try_from(n).ok());
        let args = arguments(source, params.clone(), &item.name, complaints);
        out.push(Kernel { item: index, args, host_name, max_threads });
    }
    out
}

fn arguments(
    source: &Source,
    params: Range<usize>,
    kernel: &str,
    complaints: &mut Complaints<'_>,
) -> Vec<Arg> {
    let mut args = Vec::new();
    for p in split(source, params) {
        if p.len() == 1 && source.is(p.start, "void") {
            continue;
        }
        if let Some(arg) = argument(source, p, kernel, complaints) {
            args.push(arg);
        }
    }
    number(&mut args);
    let mut seen = std::collections::HashSet::new();
    for a in &args {
        let place = match a.kind {
            ArgKind::Buffer { index, .. } => ("buffer", index),
            ArgKind::Threadgroup { index } => ("threadgroup", index),
            ArgKind::Builtin(_) => continue,
        };
        // Two arguments may share an index when function constants choose between them.
        if !seen.insert(place) && a.condition.is_none() {
            complaints.at(
                source.tokens.len(),
                format!("kernel '{kernel}': two arguments are [[{}({})]]", place.0, place.1),
            );
        }
    }
    args
}

/// Unnumbered arguments take the lowest free indices, in order.
fn number(args: &mut [Arg]) {
    let mut next = 0;
    for i in 0..args.len() {
        if matches!(args[i].kind, ArgKind::Buffer { index: u32::MAX, .. }) {
            while args
                .iter()
                .any(|a| matches!(a.kind, ArgKind::Buffer { index, .. } if index == next))
            {
                next += 1;
            }
            if let ArgKind::Buffer { index, .. } = &mut args[i].kind {
                *index = next;
            }
        }
    }
}

/// Splits a parameter list at its top-level commas.
pub(crate) fn split(source: &Source, params: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut start, mut k) = (params.start, params.start);
    while k < params.end {
        match source.text(k) {
            "(" | "[" | "{" => k = source.mate(k).unwrap_or(k) + 1,
            "<" => k = source.after_angles(k, params.end).unwrap_or(k + 1),
            "," => {
                out.push(start..k);
                k += 1;
                start = k;
            }
            _ => k += 1,
        }
    }
    if start < params.end {
        out.push(start..params.end);
    }
    out
}

fn argument(
    source: &Source,
    p: Range<usize>,
    kernel: &str,
    complaints: &mut Complaints<'_>,
) -> Option<Arg> {
    let attributes = attributes_in(source, p.clone());
    // The declaration without attributes, default and array bounds.
    let mut plain = Vec::new();
    let mut k = p.start;
    let mut array = false;
    while k < p.end && !source.is(k, "=") {
        if source.is(k, "[") {
            array |= !source.is_attribute(k);
            k = source.mate(k).unwrap_or(k) + 1;
        } else {
            plain.push(k);
            k += 1;
        }
    }
    let mut name_at = *plain.iter().rev().find(|&&i| source.is_ident(i))?;
    // `device T (&x)[4]` has its name inside the parentheses, `vec<T, N>` after the angles.
    if plain.len() < 2 {
        name_at = p.start;
    }
    let name = source.text(name_at).to_string();
    let words: Vec<&str> =
        plain.iter().filter(|&&i| i != name_at).map(|&i| source.text(i)).collect();
    let type_name =
        words.iter().filter(|w| **w != "(" && **w != ")").copied().collect::<Vec<_>>().join(" ");
    let indirect = array || words.iter().any(|w| *w == "*" || *w == "&");
    let condition = attributes
        .iter()
        .find(|a| a.name == "function_constant")
        .map(|a| source.joined(a.args.clone()));
    let mut complain = |message: String| {
        complaints.at(name_at, format!("kernel '{kernel}', argument '{name}': {message}"));
        None
    };
    let space = words
        .iter()
        .find(|w| matches!(**w, "device" | "constant" | "threadgroup" | "thread"))
        .copied();
    for a in &attributes {
        let index =
            || attributes::integer(source, a.args.clone()).and_then(|n| u32::try_from(n).ok());
        if let Some((_, why)) = REFUSED.iter().find(|(n, _)| *n == a.name) {
            return complain((*why).to_string());
        }
        if BUILTINS.contains(&a.name.as_str()) {
            if indirect {
                return complain(format!("[[{}]] is a value, not a pointer or reference", a.name));
            }
            let kind = ArgKind::Builtin(a.name.clone());
            return Some(Arg { name, type_name, kind, condition });
        }
        match a.name.as_str() {
            "buffer" => {
                let Some(index) = index() else {
                    return complain("[[buffer(n)]] needs a constant index".into());
                };
                if index > 30 {
                    return complain(format!(
                        "buffer index {index} is out of range: there are 31 (0 to 30)"
                    ));
                }
                let device = match (space, indirect) {
                    (Some("device"), true) => true,
                    (Some("constant"), true) => false,
                    (_, false) => {
                        return complain(
                            "a [[buffer]] argument is a pointer or a reference".into(),
                        );
                    }
                    (Some(other), _) => {
                        return complain(format!(
                            "a [[buffer]] argument is in 'device' or 'constant' memory, not in '{other}'"
                        ));
                    }
                    (None, _) => return complain(
                        "a pointer or reference must have an address space: 'device' or 'constant'"
                            .into(),
                    ),
                };
                let writable = device && !words.contains(&"const");
                return Some(Arg {
                    name,
                    type_name,
                    kind: ArgKind::Buffer { index, device, writable },
                    condition,
                });
            }
            "threadgroup" => {
                let Some(index) = index() else {
                    return complain("[[threadgroup(n)]] needs a constant index".into());
                };
                if index > 30 {
                    return complain(format!(
                        "threadgroup index {index} is out of range: there are 31 (0 to 30)"
                    ));
                }
                if space != Some("threadgroup") || !indirect {
                    return complain("a [[threadgroup]] argument is a pointer or reference to 'threadgroup' memory".into());
                }
                return Some(Arg {
                    name,
                    type_name,
                    kind: ArgKind::Threadgroup { index },
                    condition,
                });
            }
            "function_constant" | "maybe_unused" | "deprecated" | "unused" => {}
            other => return complain(format!("unknown attribute [[{other}]]")),
        }
    }
    match (space, indirect) {
        (Some("device" | "constant"), true) => {
            let device = space == Some("device");
            let writable = device && !words.contains(&"const");
            let kind = ArgKind::Buffer { index: u32::MAX, device, writable };
            Some(Arg { name, type_name, kind, condition })
        }
        (None, true) => complain("a pointer or reference must have an address space ('device', 'constant' or 'threadgroup')".into()),
        _ => complain("an argument needs an attribute that says what it is, such as [[buffer(0)]] or [[thread_position_in_grid]]".into()),
    }
}

/// Makes the table of entries and puts a place for each into the text.
pub(crate) fn entries(
    source: &Source,
    items: &[Item],
    kernels: &[Kernel],
    variables: &Variables,
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
) -> Vec<Entry> {
    let reach = Reach::new(source, items);
    let mut out: Vec<Entry> = Vec::new();
    let mut add = |entry: Entry, at: usize, complaints: &mut Complaints<'_>| -> Option<usize> {
        if out.iter().any(|e: &Entry| e.name == entry.name) {
            complaints.at(at, format!("two kernels are called '{}'", entry.name));
            return None;
        }
        out.push(entry);
        Some(out.len() - 1)
    };
    // What template arguments name is reached as well: `from` is the instantiation.
    let make = |kernel: &Kernel, name, expression, tag, from: Option<Range<usize>>| {
        let item = &items[kernel.item];
        let at = &source.tokens[item.name_at];
        let reached: Vec<Range<usize>> =
            [Some(item.tokens.clone()), from].into_iter().flatten().collect();
        Entry {
            name,
            expression,
            tag,
            args: kernel.args.clone(),
            max_threads: kernel.max_threads,
            meets: reach.meets(source, &reached),
            fences: reach.fences(source, &reached),
            requires: reach.requires(source, &reached, &variables.constants),
            file: source.files[at.file].clone(),
            line: at.line,
        }
    };
    for kernel in kernels {
        let item = &items[kernel.item];
        if item.template.is_some() {
            continue;
        }
        let tag =
            variables.tagged.contains(&kernel.item).then(|| format!("__sm_tag_{}", item.name));
        let name = kernel.host_name.clone().unwrap_or_else(|| item.name.clone());
        // Qualified, as a kernel may be called what a function of `metal` is.
        let expression = format!("::{}{}", item.path, item.name);
        if let Some(n) = add(make(kernel, name, expression, tag, None), item.name_at, complaints) {
            edits.insert(source.tokens[item.tokens.end - 1].end, format!(" __SM_E{n} "));
        }
    }
    for item in items.iter().filter(|i| i.kind == ItemKind::Instantiation) {
        let tokens = item.tokens.clone();
        let attributes = attributes_in(source, tokens.clone());
        let Some((id, tag, name_at, cast)) = instantiated(source, item) else {
            continue;
        };
        let Some(kernel) = kernels.iter().find(|k| items[k.item].name == source.text(name_at))
        else {
            continue; // an instantiation of something that is no kernel: clang's business
        };
        let expression = match cast {
            Some(types) => format!("static_cast<void (*)({types})>({id})"),
            None if items[kernel.item].path.is_empty() && !id.starts_with("::") => {
                format!("::{id}")
            }
            None => id.clone(),
        };
        let host = attributes
            .iter()
            .find(|a| a.name == "host_name")
            .and_then(|a| string(source, a.args.clone()));
        let name = host.unwrap_or_else(|| id.replace(' ', ""));
        let tag = variables.tagged.contains(&kernel.item).then_some(tag);
        if let Some(n) =
            add(make(kernel, name, expression, tag, Some(tokens.clone())), name_at, complaints)
        {
            edits.replace(source.span(tokens), format!(" __SM_E{n} "));
        }
    }
    out
}

/// From `template [[…]] kernel TYPE name<args>(params);`: the template-id, its tag, the token of
/// the name, and the parameter types if the arguments are to be deduced from them.
fn instantiated(source: &Source, item: &Item) -> Option<(String, String, usize, Option<String>)> {
    let end = item.tokens.end - 1;
    let mut k = item.start;
    let mut last: Option<(usize, usize)> = None; // the name, and where its id ends
    let mut params = None;
    while k < end {
        if source.is_attribute(k) {
            k = source.mate(k)? + 1;
        } else if source.is(k, "decltype") || source.is(k, "__attribute__") {
            k = source.mate(k + 1)? + 1;
        } else if source.is(k, "(") {
            params = Some(k + 1..source.mate(k)?);
            break;
        } else if source.tokens[k].kind == Kind::Ident {
            let name = k;
            k += 1;
            if source.is(k, "<") {
                k = source.after_angles(k, end)?;
            }
            last = Some((name, k));
        } else {
            k += 1;
        }
    }
    let (name, after) = last?;
    let mut first = name;
    while first >= 2 && source.is(first - 1, "::") && source.is_ident(first - 2) {
        first -= 2;
    }
    let id = spelled(source, first..after);
    let tag = format!("{}__sm_tag_{}", spelled(source, first..name), spelled(source, name..after));
    let deduced = after == name + 1;
    let cast = match (deduced, params) {
        (true, Some(p)) => Some(
            split(source, p)
                .into_iter()
                .map(|p| {
                    let words: Vec<String> = (p.start..p.end)
                        .take_while(|&i| !source.is_attribute(i))
                        .map(|i| match source.text(i) {
                            t @ ("device" | "constant" | "threadgroup" | "thread") => {
                                format!("__sm_{t}")
                            }
                            t => t.to_string(),
                        })
                        .collect();
                    words.join(" ")
                })
                .collect::<Vec<_>>()
                .join(", "),
        ),
        _ => None,
    };
    Some((id, tag, name, cast))
}
