//! What came with a later version of the language than the one asked for.

use super::super::Complaints;
use super::super::items::ItemKind;
use super::super::kernels::attributes_in;
use super::super::rewrite::coherent;
use super::super::token::Kind;
use super::kernel::Kernel;
use super::types::Types;
use super::{Look, is_member};
use std::collections::HashSet;

/// A name, the first version that has it, and the rule. A `*` at the end stands for anything.
const NAMES: &[(&str, u32, &str)] = &[
    ("bfloat*", 310, "since-bfloat"),
    ("packed_bfloat*", 310, "since-bfloat"),
    ("simdgroup_bfloat8x8", 310, "since-bfloat"),
    ("simdgroup_half8x8", 230, "since-simdgroup-matrix"),
    ("simdgroup_float8x8", 230, "since-simdgroup-matrix"),
    ("simdgroup_matrix", 230, "since-simdgroup-matrix"),
    ("atomic_float", 300, "since-float-atomics"),
    ("atomic_bool", 240, "since-wide-atomics"),
    ("atomic_ulong", 240, "since-wide-atomics"),
    ("long", 220, "since-long"),
    ("ulong", 220, "since-long"),
    ("int64_t", 220, "since-long"),
    ("uint64_t", 220, "since-long"),
    ("packed_long*", 230, "since-packed-long"),
    ("packed_ulong*", 230, "since-packed-long"),
];

/// The same, for functions of the library.
const FUNCTIONS: &[(&str, u32, &str)] = &[
    ("simd_shuffle_and_fill_*", 240, "since-simd-fill"),
    ("quad_shuffle_and_fill_*", 240, "since-simd-fill"),
    ("simd_shuffle_rotate_*", 210, "since-simd-reduce"),
    ("simd_broadcast_first", 210, "since-simd-reduce"),
    ("simd_shuffle*", 200, "since-simd-permute"),
    ("simd_broadcast", 200, "since-simd-permute"),
    ("simd_*", 210, "since-simd-reduce"),
    ("max3", 210, "since-integer-functions"),
    ("min3", 210, "since-integer-functions"),
    ("median3", 210, "since-integer-functions"),
    ("mul24", 210, "since-integer-functions"),
    ("mad24", 210, "since-integer-functions"),
    ("reverse_bits", 210, "since-integer-functions"),
    ("extract_bits", 120, "since-bit-fields"),
    ("insert_bits", 120, "since-bit-fields"),
    ("nextafter", 310, "since-nextafter"),
];

/// The same, for attributes.
const ATTRIBUTES: &[(&str, u32, &str)] = &[
    ("host_name", 220, "since-host-name"),
    ("max_total_threads_per_threadgroup", 210, "since-max-threads"),
    ("user_annotation", 400, "since-user-annotation"),
    ("required_threads_per_threadgroup", 400, "since-required-threads"),
    ("function_constant", 120, "since-function-constants"),
    ("thread_index_in_simdgroup", 200, "since-simd-indices"),
    ("threads_per_simdgroup", 200, "since-simd-indices"),
    ("simdgroup_index_in_threadgroup", 200, "since-simd-indices"),
    ("simdgroups_per_threadgroup", 200, "since-simd-indices"),
    ("dispatch_simdgroups_per_threadgroup", 200, "since-simd-indices"),
    ("thread_index_in_quadgroup", 210, "since-quad-indices"),
    ("quadgroup_index_in_threadgroup", 210, "since-quad-indices"),
    ("quadgroups_per_threadgroup", 210, "since-quad-indices"),
    ("dispatch_quadgroups_per_threadgroup", 210, "since-quad-indices"),
];

fn find(
    list: &[(&str, u32, &'static str)],
    name: &str,
    version: u32,
) -> Option<(u32, &'static str)> {
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        // Digits alone follow the names of types: `bfloat4`, not `bfloat_bits`.
        Some(stem) if !stem.ends_with('_') && list.as_ptr() == NAMES.as_ptr() => name
            .strip_prefix(stem)
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == 'x')),
        Some(stem) => name.starts_with(stem),
        None => name == pattern,
    };
    list.iter()
        .find(|(pattern, ..)| fits(pattern))
        .filter(|(_, since, _)| version < *since)
        .map(|(_, since, rule)| (*since, *rule))
}

fn since(what: &str, version: u32) -> String {
    format!("{what} is there since Metal {}.{}", version / 100, version % 100 / 10)
}

pub(super) fn check(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let source = look.source;
    let own: HashSet<&str> = look
        .items
        .iter()
        .filter(|i| i.kind != ItemKind::Instantiation)
        .map(|i| i.name.as_str())
        .collect();
    let mut i = 0;
    while i < source.tokens.len() {
        if source.is_attribute(i) {
            let end = source.mate(i).unwrap_or(i);
            for a in attributes_in(source, i..end + 1) {
                if let Some((version, rule)) = find(ATTRIBUTES, &a.name, look.version) {
                    complaints.rule(a.at, rule, since(&format!("[[{}]]", a.name), version));
                }
            }
            i = end + 1;
            continue;
        }
        let text = source.text(i);
        if source.is_ident(i) && !is_member(source, i) && !own.contains(text) {
            let function = source.is(i + 1, "(").then(|| find(FUNCTIONS, text, look.version));
            let found = find(NAMES, text, look.version).or(function.flatten());
            if let Some((version, rule)) = found {
                complaints.rule(i, rule, since(&format!("'{text}'"), version));
            }
            if text == "atomic" && source.is(i + 1, "<") && source.is(i + 3, ">") {
                let kind = format!("atomic_{}", source.text(i + 2));
                if let Some((version, rule)) = find(NAMES, &kind, look.version) {
                    let what = format!("'atomic<{}>'", source.text(i + 2));
                    complaints.rule(i, rule, since(&what, version));
                }
            }
            if text == "coherent" && look.version < 320 && coherent(look.source, i).is_some() {
                complaints.rule(i, "since-coherent", since("'coherent'", 320));
            }
        } else if source.tokens[i].kind == Kind::Number
            && text.ends_with("bf")
            && !text.starts_with("0x")
            && look.version < 310
        {
            complaints.rule(i, "since-bfloat", since(&format!("the bfloat literal '{text}'"), 310));
        }
        i += 1;
    }
    if look.version < 320 {
        lambdas(look, complaints);
    }
    if look.version < 230 {
        function_pointers(look, complaints);
    }
    of_kernels(look, kernels, complaints);
}

/// `[…](…) {…}` where an expression starts.
fn lambdas(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    for item in look.items {
        let ItemKind::Function { body: Some(body), .. } = &item.kind else {
            continue;
        };
        for i in body.clone() {
            let before = source.text(i - 1);
            let starts = matches!(before, "=" | "(" | "," | "{" | ";" | "}" | "return" | "&" | "?");
            if !source.is(i, "[") || !starts || source.is_attribute(i) {
                continue;
            }
            let after = source.mate(i).map_or("", |m| source.text(m + 1));
            if matches!(after, "(" | "{") {
                complaints.rule(i, "since-lambdas", since("a lambda expression", 320));
            }
        }
    }
}

/// `int (*f)(int)`
fn function_pointers(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    for i in 0..source.tokens.len() {
        if source.is(i, "(")
            && source.is(i + 1, "*")
            && source.is_ident(i + 2)
            && source.is(i + 3, ")")
            && source.is(i + 4, "(")
            && i > 0
            && source.is_ident(i - 1)
        {
            let what = format!("'{}', a pointer to a function,", source.text(i + 2));
            complaints.rule(i + 2, "since-function-pointers", since(&what, 230));
        }
    }
}

fn of_kernels(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let types = Types::new(look);
    for kernel in kernels {
        let (item, name) = (kernel.item, kernel.item.name.as_str());
        if look.version < 230 && kernel.attributes.iter().any(|a| a.name == "kernel") {
            let what = format!("[[kernel]], as '{name}' has it,");
            complaints.rule(item.name_at, "since-kernel-attribute", since(&what, 230));
        }
        if look.version < 220 && item.template.is_some() {
            let what = format!("a template of a kernel, such as '{name}',");
            complaints.rule(item.name_at, "since-kernel-templates", since(&what, 220));
        }
        for param in kernel.params.iter().filter(|p| look.version < 230 && p.indirect) {
            let words = param.words.iter().map(|&i| look.source.text(i));
            let words = words.filter(|w| !super::is_space(w) && !matches!(*w, "*" | "&"));
            if types.shape(words).is_some_and(|s| matches!(s.element, "long" | "ulong")) {
                let what = format!(
                    "kernel '{name}', argument '{}': a buffer of 64-bit integers",
                    param.name
                );
                complaints.rule(param.name_at, "since-long-buffers", since(&what, 230));
            }
        }
    }
}
