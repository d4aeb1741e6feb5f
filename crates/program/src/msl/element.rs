//! A map-form program as a function of one element: where its operands lie, and what it computes.

use super::{
    Dialect,
    body::{Body, asks_number, is_memory, name},
    storage,
};
use crate::{ParamKind, Program};
use std::fmt::Write;

/// How the axes of a domain are walked: in groups, each by a number of its own. A map has one group; a
/// reduction has one of the axes it keeps and one of those it folds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Groups {
    /// How many axes each group has.
    pub axes: Vec<usize>,
    /// Whether offsets of elements need 64 bits.
    pub wide: bool,
}

/// The pieces a kernel is put together from.
///
/// `text` declares `struct Params`, `struct Offsets`, `start(params)`, `walk0(params, at, number)` and
/// so on for each group of axes, and `element(…, params, at)`, which returns what the program yields.
///
/// The numbers of a launch are, in order: those of `fields`, the sizes of all axes, the row-major steps
/// of all axes if the program [`is_numbered`], then for each parameter a lead and the steps of all axes (a
/// view), how many elements there are (a buffer), or the value (a uniform).
#[derive(Clone, Debug)]
pub struct Element {
    /// Declarations.
    pub text: String,
    /// The arguments of a kernel: the memory of the program by its bindings.
    pub arguments: String,
    /// The same as they are passed on to `element`.
    pub passed: String,
    /// How many bindings those are: the kernel's own follow.
    pub bindings: usize,
}

/// Whether a program asks for the number of its element.
pub fn is_numbered(program: &Program) -> bool {
    asks_number(program.body())
}

impl Element {
    /// The pieces of a program whose kernel has numbers of its own, declared as members by `fields`.
    pub fn new(program: &Program, dialect: Dialect, groups: &Groups, fields: &str) -> Element {
        let rank: usize = groups.axes.iter().sum();
        let numbered = asks_number(program.body());
        let body = Body::new(program, dialect);
        let (memory, passed) = memory(program, dialect);
        let mut arguments = String::new();
        for (place, argument) in memory.iter().enumerate() {
            let _ = writeln!(arguments, "    {argument} [[buffer({place})]],");
        }
        let mut text = params(program, fields, rank, numbered);
        offsets(&mut text, program, groups, numbered);
        let result = program.yields().map_or("void", name);
        let list: String = memory.iter().map(|argument| format!("{argument}, ")).collect();
        let _ = writeln!(
            text,
            "static {result} element({list}constant Params &params, Offsets at) {{\n{}}}",
            body.text
        );
        Element { text, arguments, passed, bindings: memory.len() }
    }
}

/// The memory of a program: as arguments, and as passed on.
pub(super) fn memory(program: &Program, dialect: Dialect) -> (Vec<String>, String) {
    let (mut arguments, mut passed) = (Vec::new(), String::new());
    for (number, param) in program.params().iter().enumerate() {
        let Some(direction) = param.direction() else {
            continue;
        };
        let constant = if direction.writes() { "" } else { "const " };
        let ty = storage(param.dtype, dialect);
        arguments.push(format!("device {constant}{ty} *p{number}"));
        let _ = write!(passed, "p{number}, ");
    }
    (arguments, passed)
}

/// The numbers of a launch.
fn params(program: &Program, fields: &str, rank: usize, numbered: bool) -> String {
    let mut text = format!("struct Params {{\n{fields}");
    if rank > 0 {
        let _ = writeln!(text, "    uint sizes[{rank}];");
        if numbered {
            let _ = writeln!(text, "    uint numbers[{rank}];");
        }
    }
    for (number, param) in program.params().iter().enumerate() {
        match param.kind {
            ParamKind::View(_) => {
                let _ = writeln!(text, "    uint lead{number};");
                if rank > 0 {
                    let _ = writeln!(text, "    int steps{number}[{rank}];");
                }
            }
            ParamKind::Buffer(_) => {
                let _ = writeln!(text, "    uint p{number};");
            }
            ParamKind::Uniform => uniform(&mut text, number, param.ty()),
        }
    }
    text.push_str("};\n");
    text
}

/// The members of a uniform among the numbers of a launch.
pub(super) fn uniform(text: &mut String, number: usize, ty: crate::Type) {
    let _ = match ty {
        ty if ty.is_wide() => writeln!(text, "    uint p{number};\n    uint p{number}_high;"),
        crate::Type::Bool => writeln!(text, "    uint p{number};"),
        ty => writeln!(text, "    {} p{number};", name(ty)),
    };
}

/// Where the element of each view lies, and the walk along each group of axes.
fn offsets(text: &mut String, program: &Program, groups: &Groups, numbered: bool) {
    let offset = if groups.wide { "long" } else { "int" };
    let views: Vec<usize> = (program.params().iter().enumerate())
        .filter(|(_, param)| matches!(param.kind, ParamKind::View(_)))
        .map(|(number, _)| number)
        .collect();
    text.push_str("struct Offsets {\n    uint number;\n");
    for view in &views {
        let _ = writeln!(text, "    {offset} p{view};");
    }
    text.push_str("};\nstatic Offsets start(constant Params &params) {\n    Offsets at;\n");
    text.push_str("    at.number = 0u;\n");
    for view in &views {
        let _ = writeln!(text, "    at.p{view} = {offset}(params.lead{view});");
    }
    text.push_str("    return at;\n}\n");
    let mut first = 0;
    for (group, &count) in groups.axes.iter().enumerate() {
        let _ = writeln!(
            text,
            "static Offsets walk{group}(constant Params &params, Offsets at, uint rest) {{"
        );
        for axis in (first..first + count).rev() {
            let last = axis == first;
            let place = if last { "rest".to_owned() } else { format!("i{axis}") };
            if !last {
                let _ = writeln!(text, "    uint i{axis} = rest % params.sizes[{axis}];");
                let _ = writeln!(text, "    rest /= params.sizes[{axis}];");
            }
            if numbered {
                let _ = writeln!(text, "    at.number += {place} * params.numbers[{axis}];");
            }
            for view in &views {
                let _ = writeln!(
                    text,
                    "    at.p{view} += {offset}({place}) * params.steps{view}[{axis}];"
                );
            }
        }
        text.push_str("    return at;\n}\n");
        first += count;
    }
}

/// How many bindings the memory of a program takes.
pub(super) fn bindings(program: &Program) -> usize {
    program.params().iter().filter(|param| is_memory(param.kind)).count()
}
