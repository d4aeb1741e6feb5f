//! Arguments of kernels that are not positions: buffers, threadgroup memory, and what is neither.

use super::super::Complaints;
use super::super::attributes::{self, Attribute};
use super::super::items::ItemKind;
use super::kernel::{Kernel, Param};
use super::positions::is_builtin;
use super::types::Types;
use super::{Look, is_space};
use std::collections::HashMap;

/// There are so many buffers.
const BUFFERS: i64 = 31;

/// Attributes of arguments of vertex, fragment, mesh and intersection functions.
const GRAPHICS: &[&str] = &[
    "vertex_id",
    "instance_id",
    "base_vertex",
    "base_instance",
    "amplification_id",
    "amplification_count",
    "position",
    "position_in_patch",
    "patch_id",
    "point_coord",
    "front_facing",
    "primitive_id",
    "sample_id",
    "sample_mask",
    "color",
    "attribute",
    "barycentric_coord",
    "viewport_array_index",
];

/// Attributes of what softmetal has not.
const TEXTURES: &[&str] = &["texture", "sampler", "stage_in", "imageblock_data", "payload"];

/// Other attributes that an argument of a kernel can have.
const OTHERS: &[&str] = &[
    "buffer",
    "threadgroup",
    "texture",
    "sampler",
    "stage_in",
    "imageblock_data",
    "payload",
    "function_constant",
    "id",
    "raster_order_group",
    // naga names the places of its arguments so before it knows them, and Macs compile that.
    "user",
    "render_target_array_index",
    "maybe_unused",
    "deprecated",
    "unused",
];

pub(super) fn check(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let types = Types::new(look);
    let mut own: HashMap<&str, bool> = HashMap::new();
    for item in look.items.iter().filter(|i| i.kind == ItemKind::Type && i.template.is_none()) {
        let resources = item.tokens.clone().any(|i| {
            let word = look.source.text(i);
            is_space(word) || word.starts_with("texture") || word == "sampler" || word == "array"
        });
        own.insert(&item.name, resources);
    }
    for kernel in kernels {
        let mut taken: Vec<(&str, i64, &Param)> = Vec::new();
        for param in &kernel.params {
            let mut complain = |rule: &str, what: String| {
                complaints.rule(
                    param.name_at,
                    rule,
                    format!("kernel '{}', argument '{}': {what}", kernel.item.name, param.name),
                );
            };
            let Some(place) = place(param, &mut complain) else {
                continue;
            };
            let Some(place) = place else {
                let words = || param.words.iter().map(|&i| look.source.text(i));
                let plain = types.shape(words());
                let structure =
                    words().filter(|w| *w != "const" && *w != "struct").collect::<Vec<_>>();
                match (param.indirect, &param.space, plain) {
                    (true, None, _) => complain("argument-address-space", unspaced(param)),
                    (true, Some(s), _) if s == "thread" => {
                        complain("argument-thread-space", in_thread());
                    }
                    (false, _, Some(shape)) => complain(
                        "argument-without-attribute",
                        format!(
                            "a value of type '{shape}' needs an attribute that says what it is; values of the host come through a buffer, as 'constant {shape} &'"
                        ),
                    ),
                    (false, _, None)
                        if structure.len() == 1 && own.get(structure[0]) == Some(&false) =>
                    {
                        complain(
                            "struct-argument",
                            format!(
                                "a structure comes through a buffer: 'constant {} &', not by value",
                                structure[0]
                            ),
                        );
                    }
                    _ => {}
                }
                continue;
            };
            let kind = place.name.as_str();
            if shape_of_place(look, param, kind, &types, &own, &mut complain)
                && let Some(index) = index(look, place, kind, &mut complain)
            {
                let earlier = taken.iter().find(|(k, i, p)| {
                    *k == kind && *i == index && !(p.is_optional() && param.is_optional())
                });
                if let Some((_, _, earlier)) = earlier {
                    let rule = match kind {
                        "buffer" => "buffer-index-twice",
                        _ => "threadgroup-index-twice",
                    };
                    complain(rule, format!("[[{kind}({index})]] is taken by '{}'", earlier.name));
                }
                taken.push((if kind == "buffer" { "buffer" } else { "threadgroup" }, index, param));
            }
        }
    }
}

/// The attribute that says which buffer it is, if any; `None` if that is no business of this file.
fn place<'p>(
    param: &'p Param,
    complain: &mut dyn FnMut(&str, String),
) -> Option<Option<&'p Attribute>> {
    let places: Vec<&Attribute> = param
        .attributes
        .iter()
        .filter(|a| is_builtin(&a.name) || matches!(a.name.as_str(), "buffer" | "threadgroup"))
        .collect();
    if let [first, second, ..] = places[..] {
        let what = format!("it is [[{}]] and [[{}]]: it can only be one", first.name, second.name);
        complain("one-place", what);
        return None;
    }
    if let Some(a) = param.attributes.iter().find(|a| GRAPHICS.contains(&a.name.as_str())) {
        complain("graphics-attribute", format!("[[{}]] is not for kernels", a.name));
        return None;
    }
    // Clang ignores what it does not know; a value is left with nothing then.
    let unknown = |a: &&Attribute| !is_builtin(&a.name) && !OTHERS.contains(&a.name.as_str());
    if let Some(a) = param.attributes.iter().find(unknown).filter(|_| !param.indirect) {
        complain("unknown-attribute", format!("there is no attribute [[{}]]", a.name));
        return None;
    }
    if param.rvalue {
        complain("rvalue-argument", "a kernel takes no rvalue references".into());
        return None;
    }
    match places.first() {
        Some(a) if is_builtin(&a.name) => None,
        Some(a) => Some(Some(a)),
        // Textures, samplers and stage-in data are softmetal's to refuse.
        None if param.attributes.iter().any(|a| TEXTURES.contains(&a.name.as_str())) => None,
        None => Some(None),
    }
}

fn unspaced(param: &Param) -> String {
    let what = if param.rvalue { "reference" } else { "pointer or reference" };
    format!("a {what} must have an address space: 'device', 'constant' or 'threadgroup'")
}

fn in_thread() -> String {
    "a kernel takes no pointer or reference to 'thread' memory: 'device', 'constant' or 'threadgroup'"
        .into()
}

/// Whether the type and the address space suit the attribute.
fn shape_of_place(
    look: &Look<'_>,
    param: &Param,
    kind: &str,
    types: &Types,
    own: &HashMap<&str, bool>,
    complain: &mut dyn FnMut(&str, String),
) -> bool {
    let words = || param.words.iter().map(|&i| look.source.text(i));
    if !param.indirect {
        let plain = types.shape(words().filter(|w| !is_space(w))).is_some()
            || words().any(|w| own.get(w) == Some(&false));
        if plain {
            let rule = if kind == "buffer" { "buffer-by-value" } else { "threadgroup-by-value" };
            complain(rule, format!("a [[{kind}]] is a pointer or a reference, not a value"));
        }
        return !plain;
    }
    let (rule, what) = match (kind, param.space.as_deref()) {
        ("buffer", Some("device" | "constant")) | ("threadgroup", Some("threadgroup")) => {
            return true;
        }
        (_, None) => ("argument-address-space", unspaced(param)),
        (_, Some("thread")) => ("argument-thread-space", in_thread()),
        ("buffer", Some(other)) => (
            "buffer-space",
            format!("a [[buffer]] is in 'device' or 'constant' memory, not in '{other}'"),
        ),
        (_, Some(other)) => (
            "threadgroup-space",
            format!("a [[threadgroup]] is in 'threadgroup' memory, not in '{other}'"),
        ),
    };
    complain(rule, what);
    false
}

/// The index, if it is a number.
fn index(
    look: &Look<'_>,
    place: &Attribute,
    kind: &str,
    complain: &mut dyn FnMut(&str, String),
) -> Option<i64> {
    let source = look.source;
    let Some(index) = attributes::integer(source, place.args.clone()) else {
        // A name that is nowhere else is surely no constant.
        let unknown = place.args.clone().find(|&i| {
            source.is_ident(i)
                && !(0..source.tokens.len())
                    .any(|k| source.is_ident(k) && source.is(k, source.text(i)) && k != i)
        });
        if let Some(unknown) = unknown {
            let what = format!(
                "the index of a [[{kind}]] is a constant, and there is no '{}'",
                source.text(unknown)
            );
            complain("buffer-index-constant", what);
        }
        return None;
    };
    if index < 0 {
        complain("buffer-index-constant", format!("[[{kind}({index})]]: an index is not negative"));
        return None;
    }
    if kind == "buffer" && index >= BUFFERS {
        complain(
            "buffer-index-range",
            format!("[[buffer({index})]] is out of range: there are 31 (0 to 30)"),
        );
        return None;
    }
    Some(index)
}
