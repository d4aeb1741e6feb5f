//! Whole modules: parameters, memory, threads and the instructions.

use super::{
    MATHS, PACKED, Sharing, Use, WIDE, Words,
    body::{Body, atomics},
    inst,
    sharing::Memory,
    type_name,
};
use crate::{Atomic, Direction, Fold, Param, ParamKind, Program, Scope, Type};
use bessemer_core::DType;
use std::fmt::Write;

/// Threads of a workgroup of a map.
pub const THREADS: u32 = 64;

/// A number that a launch binds, in the order of the text's struct `Params`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// How many elements there are, or results of a reduction: `u32`.
    Elements,
    /// Threads of one row of workgroups, for more than fit into one: `u32`.
    Row,
    /// How many elements become one result: `u32`.
    Count,
    /// The size of a dimension: `u32`.
    Size(usize),
    /// The step of a parameter along a dimension: `i32`.
    Step(usize, usize),
    /// The step of an element's number along a dimension: `i32`.
    ElementStep(usize),
    /// Where the first element of a parameter lies, in elements from where its binding starts: `i32`.
    At(usize),
    /// The elements of a buffer: `u32`.
    Len(usize),
    /// The value of a uniform; 0 or 1 for `bool`; of 64 bits the low word.
    Value(usize, Type),
    /// The high word of a uniform of 64 bits.
    High(usize),
    /// Where the first result of a reduction lies: `i32`.
    ResultAt,
    /// The step of the results along a dimension: `i32`.
    ResultStep(usize),
}

impl Slot {
    fn field(self) -> String {
        match self {
            Slot::Elements => "elements: u32".to_owned(),
            Slot::Row => "row: u32".to_owned(),
            Slot::Count => "count: u32".to_owned(),
            Slot::Size(axis) => format!("n{axis}: u32"),
            Slot::Step(param, axis) => format!("p{param}_s{axis}: i32"),
            Slot::ElementStep(axis) => format!("element_s{axis}: i32"),
            Slot::At(param) => format!("p{param}_at: i32"),
            Slot::Len(param) => format!("p{param}_len: u32"),
            Slot::Value(param, Type::Bool) => format!("p{param}: u32"),
            Slot::Value(param, ty) if ty.is_wide() => format!("p{param}: u32"),
            Slot::Value(param, ty) => format!("p{param}: {ty}"),
            Slot::High(param) => format!("p{param}_high: u32"),
            Slot::ResultAt => "result_at: i32".to_owned(),
            Slot::ResultStep(axis) => format!("result_s{axis}: i32"),
        }
    }
}

/// The numbers of [`map`].
pub fn map_slots(program: &Program, rank: usize) -> Vec<Slot> {
    let mut slots = vec![Slot::Elements, Slot::Row];
    slots.extend((0..rank).map(Slot::Size));
    operand_slots(program, rank, &mut slots);
    slots
}

/// The numbers of [`value`], for so many dimensions that stay and that are folded.
pub fn value_slots(program: &Program, kept: usize, folded: usize) -> Vec<Slot> {
    let rank = kept + folded;
    let mut slots = vec![Slot::Elements, Slot::Row, Slot::Count, Slot::ResultAt];
    slots.extend((0..rank).map(Slot::Size));
    slots.extend((0..rank).map(Slot::ElementStep));
    slots.extend((0..kept).map(Slot::ResultStep));
    operand_slots(program, rank, &mut slots);
    slots
}

/// The numbers of [`kernel`].
pub fn kernel_slots(program: &Program) -> Vec<Slot> {
    let mut slots = Vec::new();
    operand_slots(program, 0, &mut slots);
    slots
}

fn operand_slots(program: &Program, rank: usize, slots: &mut Vec<Slot>) {
    for (i, param) in program.params().iter().enumerate() {
        match param.kind {
            ParamKind::Uniform => {
                slots.push(Slot::Value(i, param.ty()));
                slots.extend(param.ty().is_wide().then_some(Slot::High(i)));
            }
            ParamKind::View(_) => {
                slots.push(Slot::At(i));
                slots.extend((0..rank).map(|axis| Slot::Step(i, axis)));
            }
            ParamKind::Buffer(_) => slots.extend([Slot::At(i), Slot::Len(i)]),
        }
    }
}

/// A map over a domain of `rank` dimensions: the function `main`, with as many threads as
/// elements in groups of [`THREADS`]. Parameters are bound in order, uniforms left out.
///
/// ```
/// use bessemer_program::{Program, wgsl, wgsl::Sharing};
///
/// let text = "program p(in view a: f32, out view c: f16) {
///     %x = load a[@]
///     store c[@], %x
/// }";
/// let program = Program::parse("p.bp", text)?;
/// assert!(wgsl::map(&program, 1, &Sharing::none()).contains("store_p1(at_p1, r0);"));
/// # Ok::<(), bessemer_program::Error>(())
/// ```
pub fn map(program: &Program, rank: usize, sharing: &Sharing) -> String {
    let body = Body::new(program);
    let mut text = head(program, &map_slots(program, rank), &body, None, sharing);
    let _ = write!(
        text,
        "
@compute @workgroup_size({THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let element = id.y * params.row + id.x;
    if element >= params.elements || id.x >= params.row {{ return; }}
"
    );
    coordinates(&mut text, "element", 0..rank);
    for (i, _) in views(program) {
        let _ = writeln!(text, "    let at_p{i} = {};", place(&format!("p{i}"), 0..rank));
    }
    text.push_str(&body.text);
    text.push_str("}\n");
    text
}

/// What a reduction folds: `begin(result)` finds the place of a result, `value(i)` gives the `i`th
/// of the values that become it, `element_of(i)` and `result_place()` where they are. How they are
/// folded, and the threads, are for the caller to write. Results, of dtype `out`, are bound after the
/// parameters: `store_result(i, value)`.
pub fn value(
    program: &Program,
    kept: usize,
    folded: usize,
    out: DType,
    sharing: &Sharing,
) -> String {
    let body = Body::new(program);
    let rank = kept + folded;
    let mut text = head(program, &value_slots(program, kept, folded), &body, Some(out), sharing);
    let ty = type_name(program.yields().unwrap_or(Type::F32));
    let names: Vec<String> = views(program).map(|(i, _)| format!("p{i}")).collect();
    text.push_str("\nvar<private> base_element: i32;\nvar<private> base_result: i32;\n");
    for name in &names {
        let _ = writeln!(text, "var<private> base_{name}: i32;");
    }
    text.push_str("fn begin(result: u32) {\n");
    coordinates(&mut text, "result", 0..kept);
    let _ = writeln!(text, "    base_element = {};", place("element", 0..kept));
    let _ = writeln!(text, "    base_result = {};", place("result", 0..kept));
    for name in &names {
        let _ = writeln!(text, "    base_{name} = {};", place(name, 0..kept));
    }
    let _ = writeln!(text, "}}\nfn value(i: u32) -> {ty} {{");
    coordinates(&mut text, "i", kept..rank);
    let number = place("element", kept..rank);
    let _ = writeln!(text, "    let element = u32(base_element + {number});");
    for name in &names {
        let at = place(name, kept..rank);
        let _ = writeln!(text, "    let at_{name} = base_{name} + {at};");
    }
    let _ = writeln!(text, "    var yielded: {ty};");
    text.push_str(&body.text);
    text.push_str("    return yielded;\n}\n");
    text
}

/// A kernel with threadgroups of `block` threads: the function `main`.
pub fn kernel(program: &Program, block: [u32; 3], sharing: &Sharing) -> String {
    let body = Body::new(program);
    let slots = kernel_slots(program);
    let mut text = head(program, &slots, &body, None, sharing);
    let memory = memory(program, None);
    let [x, y, z] = block;
    let threads = x * y * z;
    let (_, atomic) = atomics(program);
    let _ = writeln!(text, "\nconst BLOCK = vec3<u32>({x}u, {y}u, {z}u);");
    text.push_str("var<private> linear: u32;\n");
    for (i, shared) in program.shared().iter().enumerate() {
        let (ty, len) = (type_name(shared.ty), shared.len);
        let atomic = atomic.contains(&i);
        let element = if atomic { format!("atomic<{ty}>") } else { ty.to_owned() };
        let (load, store) = match atomic {
            true => {
                (format!("atomicLoad(&shared{i}[i])"), format!("atomicStore(&shared{i}[i], value)"))
            }
            false => (format!("shared{i}[i]"), format!("shared{i}[i] = value")),
        };
        let _ = write!(
            text,
            "var<workgroup> shared{i}: array<{element}, {len}>;
fn load_shared{i}(i: i32) -> {ty} {{
    if u32(i) >= {len}u {{ return {ty}(); }}
    return {load};
}}
fn store_shared{i}(i: i32, value: {ty}) {{
    if u32(i) < {len}u {{ {store}; }}
}}
"
        );
    }
    for (op, name) in &body.atomics {
        let of = memory.iter().position(|memory| memory.name == *name);
        let variable = of.map(|i| sharing.variable(i, &memory)).unwrap_or_default();
        atomic_function(&mut text, program, *op, name, &variable);
    }
    for &(scope, op, ty) in &body.folds {
        fold_function(&mut text, threads, scope, op, ty);
    }
    let _ = write!(
        text,
        "
@compute @workgroup_size({x}, {y}, {z})
fn main(
    @builtin(local_invocation_id) thread: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {{
    linear = thread.x + BLOCK.x * (thread.y + BLOCK.y * thread.z);
"
    );
    text.push_str(&body.text);
    text.push_str("}\n");
    text
}

/// Whether the parameters can lie together as `sharing` says: not if atomic instructions need one
/// variable to be both signed and not.
pub fn shareable(program: &Program, sharing: &Sharing) -> bool {
    let memory = memory(program, None);
    (0..memory.len()).all(|i| {
        let here = sharing.with(i, memory.len()).map(|i| (memory[i].dtype, memory[i].usage));
        Words::shared(here).is_some()
    })
}

/// The parameters that are memory, in order, and then the results of dtype `out` of a reduction.
fn memory(program: &Program, out: Option<DType>) -> Vec<Memory> {
    let (atomic, _) = atomics(program);
    let param = |(i, param): (usize, &Param)| {
        let usage = match param.direction()? {
            _ if atomic.contains(&i) => Use::Atomic,
            Direction::In => Use::Read,
            _ => Use::Write,
        };
        Some(Memory { name: format!("p{i}"), dtype: param.dtype, usage })
    };
    let result = |dtype| Memory { name: "result".to_owned(), dtype, usage: Use::Write };
    program.params().iter().enumerate().filter_map(param).chain(out.map(result)).collect()
}

/// What all texts begin with: numbers, memory, functions.
fn head(
    program: &Program,
    slots: &[Slot],
    body: &Body<'_>,
    out: Option<DType>,
    sharing: &Sharing,
) -> String {
    let mut text = format!("// {}\n", program.name().replace(char::is_whitespace, " "));
    let memory = memory(program, out);
    let (declared, binding) = sharing.declare(&memory);
    text += &declared;
    for (i, param) in program.params().iter().enumerate() {
        if matches!(param.kind, ParamKind::Buffer(_)) {
            inside(&mut text, i, param);
        }
    }
    if !slots.is_empty() {
        text.push_str("struct Params {\n");
        for slot in slots {
            let _ = writeln!(text, "    {},", slot.field());
        }
        let _ = writeln!(text, "}}\n@group(0) @binding({binding}) var<uniform> params: Params;");
    }
    let small = |p: &Param| matches!(p.dtype, DType::F16 | DType::BF16);
    if program.params().iter().any(small) || slots.contains(&Slot::ResultAt) {
        text.push_str(PACKED);
    }
    if program.registers().iter().any(|ty| ty.is_wide()) || out.is_some_and(is_wide) {
        text.push_str(WIDE);
    }
    if needs_maths(&body.text, &body.folds) || slots.contains(&Slot::ResultAt) {
        text.push_str(MATHS);
    }
    text
}

fn is_wide(dtype: DType) -> bool {
    Type::of(dtype).is_some_and(Type::is_wide)
}

/// Whether one of the functions of `maths.wgsl` is called: they all are named after a type.
fn needs_maths(text: &str, folds: &std::collections::BTreeSet<(Scope, Fold, Type)>) -> bool {
    ["_f32(", "_i32(", "_u32(", "is_true(", "from_bits("].iter().any(|call| text.contains(call))
        || !folds.is_empty()
}

/// Loads and stores of a buffer that stay inside of it.
fn inside(text: &mut String, i: usize, param: &Param) {
    let ty = type_name(param.ty());
    let _ = writeln!(
        text,
        "fn load_inside_p{i}(i: i32) -> {ty} {{\n    \
         if u32(i) >= params.p{i}_len {{ return {ty}(); }}\n    return load_p{i}(i);\n}}"
    );
    if param.direction() != Some(Direction::In) {
        let _ = writeln!(
            text,
            "fn store_inside_p{i}(i: i32, value: {ty}) {{\n    \
             if u32(i) < params.p{i}_len {{ store_p{i}(i, value); }}\n}}"
        );
    }
}

/// One atomic instruction on one piece of memory, which gives what was there before.
fn atomic_function(text: &mut String, program: &Program, op: Atomic, name: &str, memory: &str) {
    let call = match op {
        Atomic::Add => "atomicAdd",
        Atomic::Min => "atomicMin",
        Atomic::Max => "atomicMax",
        Atomic::And => "atomicAnd",
        Atomic::Or => "atomicOr",
        Atomic::Xor => "atomicXor",
        Atomic::Exchange => "atomicExchange",
    };
    let number = |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
    let (ty, len, place) = match (number("shared"), number("p")) {
        (Some(i), _) => {
            let shared = &program.shared()[i];
            (shared.ty, format!("{}u", shared.len), format!("{name}[i]"))
        }
        (None, i) => {
            let ty = program.params()[i.unwrap_or(0)].ty();
            let place = format!("{memory}[params.{name}_at + i]");
            (ty, format!("params.{name}_len"), place)
        }
    };
    let _ = writeln!(
        text,
        "fn {op}_{name}(i: i32, value: {ty}) -> {ty} {{\n    \
         if u32(i) >= {len} {{ return {ty}(); }}\n    return {call}(&{place}, value);\n}}"
    );
}

/// A reduction over the threads of a group or of 32 neighbours, through memory they share: every
/// adapter can do that, whatever the width of its subgroups.
fn fold_function(text: &mut String, threads: u32, scope: Scope, op: Fold, ty: Type) {
    let width = match scope {
        Scope::Simd => (crate::SIMD_WIDTH as u32).min(threads),
        Scope::Group => threads,
    };
    let half = width.next_power_of_two() / 2;
    let name = format!("{scope}_{op}_{ty}");
    let kind = type_name(ty);
    let one =
        inst::fold(op, ty, &format!("{name}_of[linear]"), &format!("{name}_of[linear + step]"));
    let _ = write!(
        text,
        "var<workgroup> {name}_of: array<{kind}, {threads}>;
fn {name}(value: {kind}) -> {kind} {{
    let lane = linear % {width}u;
    let count = min({width}u, {threads}u - (linear - lane));
    {name}_of[linear] = value;
    workgroupBarrier();
    for (var step = {half}u; step > 0u; step = step >> 1u) {{
        if lane < step && lane + step < count {{
            {name}_of[linear] = {one};
        }}
        workgroupBarrier();
    }}
    let result = {name}_of[linear - lane];
    workgroupBarrier();
    return result;
}}
"
    );
}

fn views(program: &Program) -> impl Iterator<Item = (usize, &Param)> {
    let params = program.params().iter().enumerate();
    params.filter(|(_, param)| matches!(param.kind, ParamKind::View(_)))
}

/// The position along each dimension of element `from`, row-major.
fn coordinates(text: &mut String, from: &str, axes: std::ops::Range<usize>) {
    let first = axes.start;
    if axes.is_empty() {
        return;
    }
    let mut rest = from.to_owned();
    for axis in axes.rev() {
        if axis == first {
            let _ = writeln!(text, "    let i{axis} = i32({rest});");
        } else {
            let _ = writeln!(text, "    let i{axis} = i32({rest} % params.n{axis});");
            let _ = writeln!(text, "    let rest{axis} = {rest} / params.n{axis};");
            rest = format!("rest{axis}");
        }
    }
}

/// Where an element lies, by its position.
fn place(name: &str, axes: std::ops::Range<usize>) -> String {
    let terms: Vec<String> = axes.map(|axis| format!("i{axis} * params.{name}_s{axis}")).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}
