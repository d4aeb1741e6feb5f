//! On WebGPU: a thread for each result, or a workgroup where much becomes one.

use super::{Reduce, ReduceKind};
use crate::{
    bind::{self, Input},
    wgsl,
};
use bessemer_core::{
    DType, MAX_RANK, Result, Shape,
    gpu::{Binding, GpuTraits, Kernel, Launch, Launches, Source},
};
use bessemer_program::{
    ParamKind, Type,
    wgsl::{Slot, THREADS, type_name, value, value_slots},
};

/// Values that are worth a workgroup.
const MANY: usize = 128;
/// Results from which on threads of their own are enough to be busy.
const ENOUGH: usize = 16384;

pub(super) fn launches(op: &Reduce, gpu: &GpuTraits) -> Result<Launches> {
    let name = op.kind.name();
    let domain = op.domain()?;
    let reduced = op.reduced();
    let (folded, kept): (Vec<usize>, Vec<usize>) =
        (0..domain.rank()).partition(|&axis| reduced[axis]);
    let results = wgsl::size(name, op.output.elements())?;
    if results == 0 {
        return Ok(Launches::default());
    }
    let count = folded.iter().map(|&axis| domain[axis]).product::<usize>();
    let steps = Steps::new(op, &domain);
    let views = steps.all();
    let (outer, inner) =
        (wgsl::merged(&domain, &kept, &views), wgsl::merged(&domain, &folded, &views));
    let (outer_rank, inner_rank) = (outer.sizes.len(), inner.sizes.len());
    let mut all = outer;
    all.sizes.extend(inner.sizes);
    all.steps.extend(inner.steps);
    let grouped = count >= MANY && results as usize <= ENOUGH;
    let (row, groups) = wgsl::launch_over(results);
    let (entry, groups, threads) = match grouped {
        true => ("grouped", wgsl::grid(results as usize), 128),
        false => ("alone", groups, THREADS),
    };
    let count = wgsl::size(name, count)?;
    let slots = value_slots(&op.program, outer_rank, inner_rank);
    let views = steps.views.len();
    let mut bindings = wgsl::bindings(&op.program, &op.inputs, &[]);
    let output = bindings.len();
    bindings.push(Binding::Write(op.output.clone()));
    let shared = wgsl::Shared::new(gpu, bindings)?;
    let others = |slot: Slot| -> Result<u32> {
        Ok(match slot {
            Slot::Row => row,
            Slot::Count => count,
            Slot::ResultAt => shared.at(gpu, output, &op.output).cast_unsigned(),
            Slot::ElementStep(axis) => wgsl::step(name, all.steps[axis][views])?.cast_unsigned(),
            Slot::ResultStep(axis) => wgsl::step(name, all.steps[axis][views + 1])?.cast_unsigned(),
            _ => results,
        })
    };
    let operands = (&op.inputs[..], &[][..], &shared);
    let params = wgsl::fill(gpu, name, &op.program, operands, &all, &slots, &others)?;
    let dtype = op.output.dtype();
    let mut text = value(&op.program, outer_rank, inner_rank, dtype, &shared.sharing());
    text += &fold(op.kind, op.program.yields().unwrap_or(Type::F32), dtype);
    text += include_str!("reduce.wgsl");
    let source =
        Source::Made { name: format!("{name} of {}", op.program.name()).into(), text: text.into() };
    let kernel = Kernel::new(source, entry);
    Ok(Launch { kernel, bindings: shared.bindings, params, groups, threads: [threads, 1, 1] }
        .into())
}

/// The steps, along the domain, of all that has any.
struct Steps {
    views: Vec<[isize; MAX_RANK]>,
    element: [isize; MAX_RANK],
    result: [isize; MAX_RANK],
}

impl Steps {
    fn new(op: &Reduce, domain: &Shape) -> Steps {
        let params = op.program.params().iter().zip(&op.inputs);
        let views = params.filter_map(|(param, input)| match (param.kind, input) {
            (ParamKind::View(_), Input::View(view)) => Some(bind::steps(view, domain)),
            _ => None,
        });
        let mut element = [0; MAX_RANK];
        element[..domain.rank()].copy_from_slice(&domain.strides());
        let (mut result, mut axis) = ([0; MAX_RANK], 0);
        let reduced = op.reduced();
        for (step, &gone) in result.iter_mut().zip(&reduced).take(domain.rank()) {
            if gone && !op.keepdim {
                continue;
            }
            *step = if gone { 0 } else { op.output.strides()[axis] };
            axis += 1;
        }
        Steps { views: views.collect(), element, result }
    }

    fn all(&self) -> Vec<&[isize]> {
        let all = self.views.iter().chain([&self.element, &self.result]);
        all.map(|steps| &steps[..]).collect()
    }
}

/// How values of `ty` become one that is stored as `out`, as WGSL.
fn fold(kind: ReduceKind, ty: Type, out: DType) -> String {
    let float = ty == Type::F32;
    let name = type_name(ty);
    // What sums and products of integers are kept as.
    let register = Type::of(out).unwrap_or(ty);
    match kind {
        ReduceKind::Sum | ReduceKind::Mean if float || kind == ReduceKind::Mean => {
            let result = match kind {
                ReduceKind::Mean => "whole / f32(params.count)",
                _ => "whole",
            };
            let single = match ty.is_wide() {
                true => format!("float_{ty}(value)"),
                false => "f32(value)".to_owned(),
            };
            // What rounding loses is summed too: the sum is that of twice as many bits.
            format!(
                "struct Part {{ sum: f32, low: f32 }}
fn none() -> Part {{ return Part(0.0, 0.0); }}
fn one(value: {name}, i: u32) -> Part {{ return Part({single}, 0.0); }}
// The same number, as far as anyone can tell before it runs: compilers that take floats for reals
// would make zeros of what rounding loses.
fn kept(x: f32) -> f32 {{ return bitcast<f32>(bitcast<u32>(x) ^ (params.row >> 31u)); }}
fn both(a: Part, b: Part) -> Part {{
    let sum = kept(a.sum + b.sum);
    let part = kept(sum - a.sum);
    return Part(sum, (a.low + b.low) + ((a.sum - kept(sum - part)) + (b.sum - part)));
}}
fn result(part: Part) -> f32 {{
    var whole = part.sum;
    if !is_nan(whole) && !is_inf(whole) {{ whole += part.low; }}
    return {result};
}}
"
            )
        }
        ReduceKind::Sum | ReduceKind::Mean if register.is_wide() => {
            plain(ty, register, "vec2<u32>()", "add_64(a, b)")
        }
        ReduceKind::Prod if register.is_wide() => {
            plain(ty, register, "vec2<u32>(1u, 0u)", "mul_64(a, b)")
        }
        ReduceKind::Sum | ReduceKind::Mean => plain(ty, ty, &format!("{ty}(0)"), "a + b"),
        ReduceKind::Prod => plain(ty, ty, &format!("{ty}(1)"), "a * b"),
        ReduceKind::Any => plain(ty, ty, "false", "a | b"),
        ReduceKind::All => plain(ty, ty, "true", "a & b"),
        ReduceKind::Min | ReduceKind::Max | ReduceKind::ArgMin | ReduceKind::ArgMax => {
            let sign = match kind {
                ReduceKind::Min | ReduceKind::ArgMin => "<",
                _ => ">",
            };
            let (better, nan) = match float {
                true => (format!("order(a.value) {sign} order(b.value)"), "is_nan"),
                false if ty.is_wide() && sign == "<" => {
                    (format!("lt_{ty}(a.value, b.value)"), "never")
                }
                false if ty.is_wide() => (format!("lt_{ty}(b.value, a.value)"), "never"),
                false => (format!("a.value {sign} b.value"), "never"),
            };
            let same = match float {
                true => "order(a.value) == order(b.value)",
                false if ty.is_wide() => "all(a.value == b.value)",
                false => "a.value == b.value",
            };
            let result = match kind {
                ReduceKind::Min | ReduceKind::Max => "part.value",
                _ if register.is_wide() => "vec2<u32>(part.index, 0u)",
                _ => "part.index",
            };
            let out = type_name(register);
            format!(
                "struct Part {{ value: {name}, index: u32, some: bool }}
fn never(value: {name}) -> bool {{ return false; }}
fn none() -> Part {{ return Part({name}(), 0u, false); }}
fn one(value: {name}, i: u32) -> Part {{ return Part(value, i, true); }}
fn both(a: Part, b: Part) -> Part {{
    if !a.some {{ return b; }}
    if !b.some {{ return a; }}
    let first = a.index < b.index;
    let a_nan = {nan}(a.value);
    let b_nan = {nan}(b.value);
    var a_wins = {better};
    if {same} {{ a_wins = first; }}
    if a_nan || b_nan {{ a_wins = a_nan && (first || !b_nan); }}
    if a_wins {{ return a; }}
    return b;
}}
fn result(part: Part) -> {out} {{ return {result}; }}
"
            )
        }
    }
}

/// A fold of values of `ty`, kept as `register`, that starts from a neutral one.
fn plain(ty: Type, register: Type, neutral: &str, both: &str) -> String {
    let (value, kept) = (type_name(ty), type_name(register));
    let one = if ty == register { "value".to_owned() } else { format!("wide_{ty}(value)") };
    let one = if ty.is_wide() { "value" } else { &one };
    format!(
        "struct Part {{ value: {kept} }}
fn none() -> Part {{ return Part({neutral}); }}
fn one(value: {value}, i: u32) -> Part {{ return Part({one}); }}
fn fold(a: {kept}, b: {kept}) -> {kept} {{ return {both}; }}
fn both(a: Part, b: Part) -> Part {{ return Part(fold(a.value, b.value)); }}
fn result(part: Part) -> {kept} {{ return part.value; }}
"
    )
}
