//! Position, size and index arguments of kernels: their types, and how they go together.

use super::super::Complaints;
use super::super::items::ItemKind;
use super::super::kernels::attributes_in;
use super::Look;
use super::kernel::{Kernel, Param};
use super::types::{Shape, Types};

/// Positions and sizes in up to three dimensions whose widths go together.
const PLACES: &[&str] = &[
    "thread_position_in_grid",
    "threads_per_grid",
    "thread_position_in_threadgroup",
    "threads_per_threadgroup",
    "threadgroup_position_in_grid",
    "dispatch_threads_per_threadgroup",
    "threadgroups_per_grid",
];

/// Those of per-thread stage-in data, which stand alone.
const GRIDS: &[&str] = &["grid_origin", "grid_size"];

/// Scalars that say where a thread is in its SIMD-group or quad-group, and how many there are.
const GROUP_INDICES: &[&str] = &[
    "thread_index_in_simdgroup",
    "threads_per_simdgroup",
    "thread_execution_width",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "thread_index_in_quadgroup",
    "quadgroup_index_in_threadgroup",
    "quadgroup_index_in_simdgroup",
    "quadgroups_per_threadgroup",
    "dispatch_quadgroups_per_threadgroup",
];

/// Whether an attribute makes an argument a position, a size or an index.
pub(super) fn is_builtin(name: &str) -> bool {
    [PLACES, GRIDS, GROUP_INDICES].iter().any(|l| l.contains(&name))
        || name == "thread_index_in_threadgroup"
}

/// An argument with its attribute and, where it can be told, its type.
struct Place<'a> {
    attribute: &'a str,
    param: &'a Param,
    shape: Option<Shape>,
}

pub(super) fn check(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let types = Types::new(look);
    members(look, complaints);
    for kernel in kernels {
        let mut places: Vec<Place<'_>> = Vec::new();
        for param in &kernel.params {
            let Some(a) = param.attributes.iter().find(|a| is_builtin(&a.name)) else {
                continue;
            };
            let shape = types.shape(param.words.iter().map(|&i| look.source.text(i)));
            places.push(Place { attribute: &a.name, param, shape });
        }
        let name = kernel.item.name.as_str();
        let mut complain = |place: &Place<'_>, rule: &str, what: String| {
            complaints.rule(
                place.param.name_at,
                rule,
                format!("kernel '{name}', argument '{}': {what}", place.param.name),
            );
        };
        for place in &places {
            each(place, &mut complain);
        }
        widths(&places, &mut complain);
        twice(&places, &mut complain);
        pairs(&places, &mut complain);
    }
}

/// Members of structures have no such attributes.
fn members(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    for item in look.items.iter().filter(|i| i.in_class && i.kind == ItemKind::Other) {
        for a in attributes_in(look.source, item.tokens.clone()) {
            if is_builtin(&a.name) {
                let before = item.tokens.clone().take_while(|&i| !look.source.is_attribute(i));
                let name = before.last().map_or("", |i| look.source.text(i));
                let what = format!(
                    "[[{}]] on the member '{name}': it is only for arguments of kernels",
                    a.name
                );
                complaints.rule(a.at, "attribute-in-struct", what);
            }
        }
    }
}

type Complain<'c> = &'c mut dyn FnMut(&Place<'_>, &str, String);

/// What one argument can have wrong on its own.
fn each(place: &Place<'_>, complain: Complain<'_>) {
    let Place { attribute, param, shape } = place;
    if param.indirect {
        let what = format!("[[{attribute}]] is a value, not a pointer or reference");
        return complain(place, "position-by-value", what);
    }
    let Some(shape) = shape else {
        return;
    };
    let rule = match shape.element {
        "uint" | "ushort" => None,
        "int" | "short" => Some(("position-signed", "is unsigned")),
        "float" | "half" | "bfloat" | "double" => Some(("position-float", "is an integer")),
        _ => Some(("position-size", "has 16 or 32 bits")),
    };
    if let Some((rule, why)) = rule {
        let what = format!("[[{attribute}]] {why}: 'ushort' or 'uint', not '{shape}'");
        complain(place, rule, what);
    } else if shape.width == 4 {
        let what = format!("[[{attribute}]] has one, two or three elements, not four ('{shape}')");
        complain(place, "position-elements", what);
    } else if shape.width > 1 && !PLACES.contains(attribute) && !GRIDS.contains(attribute) {
        complain(place, "index-scalar", format!("[[{attribute}]] is a scalar, not '{shape}'"));
    }
}

/// All scalars, or all vectors of one width.
fn widths(places: &[Place<'_>], complain: Complain<'_>) {
    let mut sized = places.iter().filter(|p| PLACES.contains(&p.attribute) && !p.param.indirect);
    let Some(first) = sized.by_ref().find(|p| p.shape.is_some()) else {
        return;
    };
    let other =
        sized.find(|p| p.shape.is_some_and(|s| Some(s.width) != first.shape.map(|f| f.width)));
    if let (Some(other), Some(shape), Some(wanted)) =
        (other, other.and_then(|o| o.shape), first.shape)
    {
        let what = format!(
            "[[{}]] is '{shape}' where '{}' [[{}]] is '{wanted}': the positions and sizes of a kernel are all scalars, or all vectors with the same number of elements",
            other.attribute, first.param.name, first.attribute
        );
        complain(other, "position-width", what);
    }
}

/// Nothing comes twice.
fn twice(places: &[Place<'_>], complain: Complain<'_>) {
    for (n, place) in places.iter().enumerate() {
        for earlier in &places[..n] {
            if place.attribute == earlier.attribute
                && !(place.param.is_optional() && earlier.param.is_optional())
            {
                let what = format!(
                    "[[{}]] is there already, as '{}'",
                    place.attribute, earlier.param.name
                );
                complain(place, "attribute-twice", what);
            }
            let widths = ["thread_execution_width", "threads_per_simdgroup"];
            if place.attribute != earlier.attribute
                && widths.contains(&place.attribute)
                && widths.contains(&earlier.attribute)
            {
                let what = format!(
                    "a kernel cannot have both [[{}]] and [[{}]] ('{}'), which are one thing",
                    place.attribute, earlier.attribute, earlier.param.name
                );
                complain(place, "width-twice", what);
            }
        }
    }
}

/// Attributes whose types must be the same.
fn pairs(places: &[Place<'_>], complain: Complain<'_>) {
    let unsigned = |p: &&Place<'_>| {
        p.shape.is_some_and(|s| matches!(s.element, "uint" | "ushort")) && !p.param.indirect
    };
    let groups: [(&str, &[&str]); 3] = [
        ("grid-types", &["thread_position_in_grid", "threads_per_grid"]),
        (
            "threadgroup-types",
            &[
                "thread_position_in_threadgroup",
                "threads_per_threadgroup",
                "dispatch_threads_per_threadgroup",
            ],
        ),
        ("group-index-types", GROUP_INDICES),
    ];
    for (rule, names) in groups {
        let all: Vec<&Place<'_>> =
            places.iter().filter(|p| names.contains(&p.attribute)).filter(unsigned).collect();
        // Widths that differ have been complained of.
        let Some(other) = all
            .iter()
            .find(|p| p.shape.zip(all[0].shape).is_some_and(|(a, b)| a.element != b.element))
        else {
            continue;
        };
        if let (Some(shape), Some(wanted)) = (other.shape, all[0].shape) {
            let what = format!(
                "[[{}]] is '{shape}' where '{}' [[{}]] is '{wanted}': they have one type",
                other.attribute, all[0].param.name, all[0].attribute
            );
            complain(other, rule, what);
        }
    }
    let find = |name: &str| places.iter().filter(unsigned).find(|p| p.attribute == name);
    if let (Some(position), Some(index)) =
        (find("thread_position_in_threadgroup"), find("thread_index_in_threadgroup"))
        && position.shape.is_some_and(|s| s.element == "uint")
        && index.shape.is_some_and(|s| s.element == "ushort")
    {
        let what = format!(
            "[[thread_index_in_threadgroup]] is 'uint', not 'ushort', as '{}' [[thread_position_in_threadgroup]] is of 'uint'",
            position.param.name
        );
        complain(index, "index-type", what);
    }
}
