//! The arguments of kernels: where each comes from, by its attributes and its address space.

use super::attributes;
use super::graphics::is_texture;
use super::kernels::attributes_in;
use super::token::Source;
use super::{Arg, ArgKind, Complaints};
use std::collections::HashSet;
use std::ops::Range;

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

/// Attributes of arguments that softmetal has nothing for.
const MISSING: &[(&str, &str)] = &[
    ("texture", "textures"),
    ("sampler", "samplers"),
    ("stage_in", "[[stage_in]]"),
    ("imageblock_data", "imageblocks"),
    ("payload", "mesh payloads"),
];

/// Reads the parameters of a kernel, and what it takes that there is not here.
pub(super) fn arguments(
    source: &Source,
    params: Range<usize>,
    kernel: &str,
    complaints: &mut Complaints<'_>,
) -> (Vec<Arg>, Option<&'static str>) {
    let mut args = Vec::new();
    let mut missing = None;
    for p in split(source, params) {
        if p.len() == 1 && source.is(p.start, "void") {
            continue;
        }
        let attributes = attributes_in(source, p.clone());
        if let Some((_, what)) =
            MISSING.iter().find(|(n, _)| attributes.iter().any(|a| a.name == *n))
        {
            missing = missing.or(Some(*what));
            continue;
        }
        if p.clone().any(|i| is_texture(source, i)) && !p.clone().any(|i| source.is(i, "*")) {
            missing = missing.or(Some("textures"));
            continue;
        }
        if let Some(arg) = argument(source, p, kernel, complaints) {
            args.push(arg);
        }
    }
    number(&mut args);
    let mut seen = HashSet::new();
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
    (args, missing)
}

/// Unnumbered arguments take the lowest free indices of their kind, in order.
fn number(args: &mut [Arg]) {
    fn index(kind: &mut ArgKind, threadgroup: bool) -> Option<&mut u32> {
        match kind {
            ArgKind::Buffer { index, .. } if !threadgroup => Some(index),
            ArgKind::Threadgroup { index } if threadgroup => Some(index),
            _ => None,
        }
    }
    for threadgroup in [false, true] {
        let mut taken: HashSet<u32> =
            args.iter_mut().filter_map(|a| index(&mut a.kind, threadgroup).copied()).collect();
        for arg in args.iter_mut() {
            if let Some(at) = index(&mut arg.kind, threadgroup).filter(|at| **at == u32::MAX) {
                *at = (0..).find(|n| !taken.contains(n)).unwrap_or(0);
                taken.insert(*at);
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
            // Clang ignores what it does not know, and a buffer needs no attribute.
            _ if indirect => {}
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
        (Some("threadgroup"), true) => {
            let kind = ArgKind::Threadgroup { index: u32::MAX };
            Some(Arg { name, type_name, kind, condition })
        }
        (None, true) => complain("a pointer or reference must have an address space ('device', 'constant' or 'threadgroup')".into()),
        _ => complain("an argument needs an attribute that says what it is, such as [[buffer(0)]] or [[thread_position_in_grid]]".into()),
    }
}
