//! What MSL forbids and clang's OpenCL mode would let through, or would explain badly.

use super::Complaints;
use super::arguments::split;
use super::items::{Item, ItemKind};
use super::token::Source;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Words that do not exist in MSL, and what to say of them.
const WORDS: &[(&str, &str)] = &[
    ("double", "'double' is not supported in Metal"),
    ("virtual", "virtual functions are not supported in Metal"),
    ("dynamic_cast", "dynamic_cast is not supported in Metal"),
    ("typeid", "typeid is not supported in Metal"),
    ("throw", "exceptions are not supported in Metal"),
    ("try", "exceptions are not supported in Metal"),
    ("thread_local", "thread_local is not supported in Metal"),
    ("goto", "goto is not supported in Metal"),
    ("new", "operator new is not supported in Metal"),
    ("sampler", "samplers are not supported by softmetal"),
    ("acceleration_structure", "ray tracing is not supported by softmetal"),
    ("instance_acceleration_structure", "ray tracing is not supported by softmetal"),
    ("primitive_acceleration_structure", "ray tracing is not supported by softmetal"),
    ("intersector", "ray tracing is not supported by softmetal"),
    ("visible_function_table", "function tables are not supported by softmetal"),
    ("intersection_function_table", "function tables are not supported by softmetal"),
    ("imageblock", "imageblocks are not supported by softmetal"),
    ("tensor_handle", "'tensor' is not supported by softmetal"),
    ("tensor_inline", "'tensor' is not supported by softmetal"),
    ("simdgroup_async_copy", "simdgroup_async_copy is not supported by softmetal"),
];

/// Types that a pointer is surely a pointer to.
fn is_value_type(word: &str, own: &HashSet<&str>) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = stem.strip_prefix("packed_").unwrap_or(stem);
    matches!(
        stem,
        "float"
            | "half"
            | "bfloat"
            | "int"
            | "uint"
            | "short"
            | "ushort"
            | "char"
            | "uchar"
            | "long"
            | "ulong"
            | "bool"
            | "size_t"
            | "uint8_t"
            | "int8_t"
            | "uint16_t"
            | "int16_t"
            | "uint32_t"
            | "int32_t"
            | "uint64_t"
            | "int64_t"
    ) || own.contains(word)
}

pub(crate) fn lint(source: &Source, items: &[Item], complaints: &mut Complaints<'_>) {
    for i in 0..source.tokens.len() {
        let text = source.text(i);
        if let Some((_, why)) = WORDS.iter().find(|(w, _)| *w == text) {
            // A member or a variable may carry some of these names.
            let named =
                i > 0 && matches!(source.text(i - 1), "." | "->" | "::" | "struct" | "class");
            let type_like = matches!(text, "sampler" | "new") && !source.is_ident(i + 1);
            if !named && !type_like {
                complaints.at(i, *why);
            }
        } else if [
            "texture1d",
            "texture2d",
            "texture3d",
            "texturecube",
            "depth2d",
            "texture_buffer",
        ]
        .iter()
        .any(|t| text.starts_with(t))
            && source.is(i + 1, "<")
        {
            complaints.at(i, format!("textures are not supported by softmetal ('{text}')"));
        } else if text == "tensor" && source.is(i + 1, "<") {
            complaints.at(i, "'tensor' is not supported by softmetal");
        }
    }
    let mut own: HashSet<&str> = HashSet::new();
    for item in items {
        if item.kind == ItemKind::Type && item.template.is_none() {
            own.insert(&item.name);
        }
    }
    for item in items {
        if let ItemKind::Function { params, body } = &item.kind {
            for p in split(source, params.clone()) {
                if let Some(at) = bare_pointer(source, p, &own) {
                    complaints.at(at, missing_space(source.text(at)));
                }
            }
            if let Some(body) = body {
                bare_locals(source, body.clone(), &own, complaints);
            }
        }
    }
    recursion(source, items, complaints);
}

fn missing_space(what: &str) -> String {
    let what = if what == "*" { "pointer" } else { "reference" };
    format!(
        "{what} type must have an explicit address space qualifier: 'device', 'constant', 'threadgroup' or 'thread'"
    )
}

/// A parameter that is a pointer or reference to a plain type, with no address space.
fn bare_pointer(source: &Source, p: Range<usize>, own: &HashSet<&str>) -> Option<usize> {
    let spaced = p
        .clone()
        .any(|i| matches!(source.text(i), "device" | "constant" | "threadgroup" | "thread"));
    if spaced || p.clone().any(|i| source.is_attribute(i)) {
        return None;
    }
    let mut k = p.start;
    while matches!(source.text(k), "const" | "volatile") {
        k += 1;
    }
    if !is_value_type(source.text(k), own) {
        return None;
    }
    k += 1;
    while matches!(source.text(k), "const" | "volatile") {
        k += 1;
    }
    (k < p.end && matches!(source.text(k), "*" | "&")).then_some(k)
}

/// `float *p = …;` at the start of a statement.
fn bare_locals(
    source: &Source,
    body: Range<usize>,
    own: &HashSet<&str>,
    complaints: &mut Complaints<'_>,
) {
    for i in body.clone() {
        let starts = i == body.start || matches!(source.text(i - 1), ";" | "{" | "}");
        if !starts {
            continue;
        }
        let mut k = i;
        while matches!(source.text(k), "const" | "volatile") {
            k += 1;
        }
        if is_value_type(source.text(k), own)
            && matches!(source.text(k + 1), "*" | "&")
            && source.is_ident(k + 2)
            && matches!(source.text(k + 3), "=" | ";")
        {
            complaints.at(k + 1, missing_space(source.text(k + 1)));
        }
    }
}

/// Cycles among plain functions that are the only ones of their name. Templates and overloads
/// may call their namesakes rightly.
fn recursion(source: &Source, items: &[Item], complaints: &mut Complaints<'_>) {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for item in items {
        if matches!(item.kind, ItemKind::Function { body: Some(_), .. } | ItemKind::Type) {
            *count.entry(&item.name).or_default() += 1;
        }
    }
    let functions: HashMap<&str, &Item> = items
        .iter()
        .filter(|i| matches!(i.kind, ItemKind::Function { body: Some(_), .. }))
        .filter(|i| {
            i.template.is_none() && !i.in_class && i.path.is_empty() && count[i.name.as_str()] == 1
        })
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
                complaints.at(
                    functions[*name].name_at,
                    format!("recursion is not supported in Metal: '{name}' calls itself"),
                );
                break;
            }
            if seen.insert(next) {
                waiting.extend(calls(functions[next]));
            }
        }
    }
}
