//! A kernel-form program as a kernel.

use super::{
    Dialect,
    body::{Body, binary, fold_name, name},
    element::{bindings, memory, uniform},
    with_helpers,
};
use crate::{Fold, ParamKind, Program, Scope, Type};
use std::fmt::Write;

/// The text of a kernel-form program: the kernel `run`, to be compiled with `THREADS` defined as the
/// threads of a threadgroup. Bindings are the memory of the program in order; the numbers are, for each
/// parameter in order, how many elements there are (a buffer) or the value (a uniform), and a last 0.
pub fn kernel(program: &Program, dialect: Dialect) -> String {
    let body = Body::new(program, dialect);
    let mut text = String::from("struct Params {\n");
    for (number, param) in program.params().iter().enumerate() {
        match param.kind {
            ParamKind::Uniform => uniform(&mut text, number, param.ty()),
            _ => {
                let _ = writeln!(text, "    uint p{number};");
            }
        }
    }
    text.push_str("    uint end;\n};\n");
    for function in &body.fold_functions {
        text.push_str(&fold(*function, dialect));
    }
    text.push_str("[[kernel, max_total_threads_per_threadgroup(THREADS)]] void run(\n");
    for (place, argument) in memory(program, dialect).0.iter().enumerate() {
        let _ = writeln!(text, "    {argument} [[buffer({place})]],");
    }
    let _ = writeln!(text, "    constant Params &params [[buffer({})]],", bindings(program));
    text.push_str(
        "    uint3 local [[thread_position_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 block [[threads_per_threadgroup]],
    uint3 grid [[threadgroups_per_grid]],
    uint linear [[thread_index_in_threadgroup]]) {\n",
    );
    for (number, shared) in program.shared().iter().enumerate() {
        let _ = writeln!(text, "    threadgroup {} s{number}[{}];", name(shared.ty), shared.len);
    }
    if body.folds {
        let folded = |wide| body.fold_functions.iter().any(|(_, _, ty)| ty.is_wide() == wide);
        if folded(false) {
            let parts = if dialect.simd { "(THREADS + 31) / 32" } else { "THREADS" };
            let _ = writeln!(text, "    threadgroup uint parts[{parts}];");
        }
        if folded(true) {
            text.push_str("    threadgroup ulong wide_parts[THREADS];\n");
        }
        text.push_str("    uint threads = block.x * block.y * block.z;\n");
    }
    text.push_str(&body.text);
    text.push_str("}\n");
    with_helpers(&text)
}

/// The function that folds the values of threads.
fn fold(function: (Fold, Scope, Type), dialect: Dialect) -> String {
    let (op, scope, ty) = function;
    let (kind, own) = (name(ty), fold_name(function));
    let both = |a: &str, b: &str| binary(op.of_two(), ty, a, b);
    // Simdgroups fold no more than 32 bits.
    let (bits, simd) = if ty.is_wide() { ("ulong", false) } else { ("uint", dialect.simd) };
    let (keep, part) = match ty {
        Type::Bool => ("uint(x)".to_owned(), "(parts[i] != 0u)".to_owned()),
        ty if ty.is_wide() => ("ulong(x)".to_owned(), format!("{kind}(parts[i])")),
        _ => ("as_type<uint>(x)".to_owned(), format!("as_type<{kind}>(parts[i])")),
    };
    let together = match (op, ty) {
        (Fold::Sum, _) => "simd_sum(x)".to_owned(),
        (Fold::Prod, _) => "simd_product(x)".to_owned(),
        (Fold::Min | Fold::Max, Type::F32) => {
            format!("simd_any(isnan(x)) ? NAN : simd_{op}(x)")
        }
        _ => format!("simd_{op}(x)"),
    };
    let (keeps, first, end) = match (simd, scope) {
        (true, Scope::Simd) => {
            return format!(
                "static {kind} {own}({kind} x, threadgroup uint *, uint, uint) {{\n    \
                 return {together};\n}}\n"
            );
        }
        (true, Scope::Group) => (
            format!(
                "    x = {together};\n    if (linear % 32u == 0u) parts[linear / 32u] = {keep};\n"
            ),
            "0u",
            "(threads + 31u) / 32u",
        ),
        (false, Scope::Simd) => (
            format!("    parts[linear] = {keep};\n"),
            "linear / 32u * 32u",
            "min(linear / 32u * 32u + 32u, threads)",
        ),
        (false, Scope::Group) => (format!("    parts[linear] = {keep};\n"), "0u", "threads"),
    };
    format!(
        "static {kind} {own}({kind} x, threadgroup {bits} *parts, uint linear, uint threads) {{
    threadgroup_barrier(mem_flags::mem_threadgroup);
{keeps}    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i = {first};
    {kind} all = {part};
    for (i += 1u; i < {end}; ++i) all = {};
    return all;
}}
",
        both("all", &part)
    )
}
