//! The MSL around a program that is reduced: the accumulator, how it is updated and how two
//! accumulators are combined.

use super::{ReduceKind, is_float_sum};
use bessemer_core::DType;
use bessemer_program::{
    Type,
    msl::{Dialect, Element, storage, stored, type_name, with_helpers},
};
use std::fmt::Write;

/// `struct Kept` with `none()`, `one(value, number)`, `both(a, b)`, `lower(a, distance)` and
/// `result(kept, count)`.
fn kept(kind: ReduceKind, ty: Type, out: DType) -> String {
    let name = type_name(ty);
    let simple = |members: &str, none: &str, both: &str, result: &str| {
        simple(name, members, none, both, result)
    };
    // Integers are folded as unsigned ones, which wrap, in the bits of the result.
    let register = Type::of(out).unwrap_or(ty);
    let (unsigned, whole) =
        (if register.is_wide() { "ulong" } else { "uint" }, type_name(register));
    let arg = |less: &str| {
        let nan = if ty == Type::F32 {
            "    bool na = isnan(a.best), nb = isnan(b.best);
    if (na || nb) return (na && nb ? b.at < a.at : nb) ? b : a;\n"
        } else {
            ""
        };
        format!(
            "struct Kept {{ {name} best; uint at; }};
static Kept none() {{ Kept k; k.best = {name}(0); k.at = 0xffffffffu; return k; }}
static Kept one({name} x, uint number) {{ Kept k; k.best = x; k.at = number; return k; }}
static Kept both(Kept a, Kept b) {{
    if (b.at == 0xffffffffu) return a;
    if (a.at == 0xffffffffu) return b;
{nan}    return b.best {less} a.best || (b.best == a.best && b.at < a.at) ? b : a;
}}
static Kept lower(Kept a, ushort d) {{
    Kept k; k.best = {best}; k.at = simd_shuffle_down(a.at, d); return k;
}}
static {whole} result(Kept a, uint) {{ return a.at; }}
",
            best = shuffled(name, "a.best"),
        )
    };
    match kind {
        _ if is_float_sum(kind, ty) => {
            let result = match kind {
                ReduceKind::Mean => "total / float(count)",
                _ => "total",
            };
            // The sum and, apart, what its roundings lost: as good as twice the precision.
            format!(
                "struct Kept {{ float sum; float lost; }};
static Kept none() {{ Kept k; k.sum = 0.0f; k.lost = 0.0f; return k; }}
static Kept one({name} x, uint) {{ Kept k; k.sum = float(x); k.lost = 0.0f; return k; }}
static Kept both(Kept a, Kept b) {{
    Kept k;
    k.sum = a.sum + b.sum;
    float more = k.sum - a.sum;
    k.lost = a.lost + b.lost + ((a.sum - (k.sum - more)) + (b.sum - more));
    return k;
}}
static Kept lower(Kept a, ushort d) {{
    Kept k; k.sum = simd_shuffle_down(a.sum, d); k.lost = simd_shuffle_down(a.lost, d); return k;
}}
static float result(Kept a, uint count) {{
    float total = isfinite(a.sum) ? a.sum + a.lost : a.sum;
    return {result};
}}
"
            )
        }
        ReduceKind::ArgMin => arg("<"),
        ReduceKind::ArgMax => arg(">"),
        ReduceKind::Sum | ReduceKind::Mean => {
            simple(unsigned, "0u", "a.x + b.x", &format!("{whole}(a.x)"))
        }
        ReduceKind::Prod if ty == Type::F32 => simple("float", "1.0f", "a.x * b.x", "a.x"),
        ReduceKind::Prod => simple(unsigned, "1u", "a.x * b.x", &format!("{whole}(a.x)")),
        ReduceKind::Min | ReduceKind::Max => {
            let least = kind == ReduceKind::Min;
            let (none, both) = match (ty, least) {
                (Type::F32, true) => ("INFINITY", "nan_min(a.x, b.x)"),
                (Type::F32, false) => ("-INFINITY", "nan_max(a.x, b.x)"),
                (Type::I32, true) => ("2147483647", "min(a.x, b.x)"),
                (Type::I32, false) => ("int(0x80000000u)", "max(a.x, b.x)"),
                (Type::I64, true) => ("0x7ffffffffffffffful", "(a.x < b.x ? a.x : b.x)"),
                (Type::I64, false) => ("long(0x8000000000000000ul)", "(a.x > b.x ? a.x : b.x)"),
                (Type::U64, true) => ("0xfffffffffffffffful", "(a.x < b.x ? a.x : b.x)"),
                (Type::U64, false) => ("0ul", "(a.x > b.x ? a.x : b.x)"),
                (_, true) => ("0xffffffffu", "min(a.x, b.x)"),
                (_, false) => ("0u", "max(a.x, b.x)"),
            };
            simple(name, none, both, "a.x")
        }
        ReduceKind::Any => simple("uint", "0u", "a.x | b.x", "(a.x != 0u)"),
        ReduceKind::All => simple("uint", "1u", "a.x & b.x", "(a.x != 0u)"),
    }
}

/// One number is kept.
fn simple(value: &str, kept: &str, none: &str, both: &str, result: &str) -> String {
    let lower = shuffled(kept, "a.x");
    format!(
        "struct Kept {{ {kept} x; }};
static Kept none() {{ Kept k; k.x = {none}; return k; }}
static Kept one({value} x, uint) {{ Kept k; k.x = {kept}(x); return k; }}
static Kept both(Kept a, Kept b) {{ Kept k; k.x = {both}; return k; }}
static Kept lower(Kept a, ushort d) {{ Kept k; k.x = {lower}; return k; }}
static auto result(Kept a, uint) {{ return {result}; }}
"
    )
}

/// The value of the thread `d` further on. Simdgroups pass around 32 bits at a time.
fn shuffled(ty: &str, value: &str) -> String {
    match ty {
        "long" | "ulong" => format!(
            "{ty}(ulong(simd_shuffle_down(uint(ulong({value}) >> 32), d)) << 32 | \
             ulong(simd_shuffle_down(uint({value}), d)))"
        ),
        _ => format!("simd_shuffle_down({value}, d)"),
    }
}

/// The whole text: the kernels `fold`, `fold_part` and `join`.
pub(super) fn text(
    element: &Element,
    kind: ReduceKind,
    ty: Type,
    out: DType,
    dialect: Dialect,
    axes: usize,
) -> String {
    let Element { text, arguments, passed, bindings } = element;
    let kept = kept(kind, ty, out);
    let kept = match dialect.simd {
        true => kept,
        false => kept.lines().filter(|line| !line.contains("simd_")).fold(
            String::new(),
            |mut text, line| {
                let _ = writeln!(text, "{line}");
                text
            },
        ),
    };
    let memory: String = arguments.lines().filter_map(|line| Some(line.split_once(" [[")?.0)).fold(
        String::new(),
        |mut list, argument| {
            let _ = write!(list, "{}, ", argument.trim());
            list
        },
    );
    let (place, store) = (place(axes), stored(out, dialect, "result(kept, params.count)"));
    let (result, after) = (storage(out, dialect), bindings + 1);
    let together = if dialect.simd { IN_STEP } else { "" };
    let kernel = |name: &str, ty: &str, end: &str| {
        format!(
            "[[kernel, max_total_threads_per_threadgroup(256)]] void {name}(
{arguments}    device {ty} *out [[buffer({bindings})]],
    constant Params &params [[buffer({after})]],
    uint2 group [[threadgroup_position_in_grid]],
    uint t [[thread_index_in_threadgroup]]) {{
    threadgroup Kept parts[256];
    uint x = INNER ? t / THREADS : t % OUTPUTS;
    uint y = INNER ? t % THREADS : t / OUTPUTS;
    uint output = group.x * OUTPUTS + x;
    Kept kept = folded({passed}params, output, group.y * params.chunk + y, group.y);
    kept = together(kept, parts, t, y);
    if (y == 0u && output < params.outputs) {end};
}}
"
        )
    };
    let whole = kernel("fold", result, &format!("out[place(params, output)] = {store}"));
    let part = kernel("fold_part", "Kept", "out[output * params.parts + group.y] = kept");
    with_helpers(&format!(
        "constant uint OUTPUTS [[function_constant(0)]];
constant uint THREADS [[function_constant(1)]];
constant bool INNER [[function_constant(2)]];
{text}{kept}{place}static Kept folded({memory}constant Params &params, uint output, uint first, uint part) {{
    Kept kept = none();
    if (output >= params.outputs) return kept;
    uint end = min((part + 1u) * params.chunk, params.count);
    Offsets at = walk0(params, start(params), output);
    for (uint n = first; n < end; n += THREADS) {{
        kept = both(kept, one(element({passed}params, walk1(params, at, n)), n));
    }}
    return kept;
}}
static Kept together(Kept kept, threadgroup Kept *parts, uint t, uint y) {{
    if (THREADS == 1u) return kept;
{together}    parts[t] = kept;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint step = INNER ? 1u : OUTPUTS;
    for (uint d = THREADS / 2u; d > 0u; d /= 2u) {{
        if (y < d) parts[t] = both(parts[t], parts[t + d * step]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }}
    return parts[t];
}}
{whole}{part}kernel void join(
    device const Kept *parts [[buffer(0)]],
    device {result} *out [[buffer(1)]],
    constant Params &params [[buffer(2)]],
    uint output [[thread_position_in_grid]]) {{
    if (output >= params.outputs) return;
    Kept kept = none();
    for (uint i = 0u; i < params.parts; ++i) kept = both(kept, parts[output * params.parts + i]);
    out[place(params, output)] = {store};
}}
"
    ))
}

/// Where threads of one output are neighbours, those of a simdgroup need no memory to meet.
const IN_STEP: &str = "    if (INNER) {
        for (uint d = min(THREADS, 32u) / 2u; d > 0u; d /= 2u) kept = both(kept, lower(kept, ushort(d)));
        if (THREADS <= 32u) return kept;
        if (t % 32u == 0u) parts[t / 32u] = kept;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (y == 0u) {
            for (uint i = 1u; i < THREADS / 32u; ++i) kept = both(kept, parts[t / 32u + i]);
        }
        return kept;
    }
";

/// Where an output lies.
fn place(axes: usize) -> String {
    let mut text = String::from(
        "static uint place(constant Params &params, uint rest) {\n    uint at = params.out_lead;\n",
    );
    for axis in (0..axes).rev() {
        match axis {
            0 => text.push_str("    at += rest * uint(params.out_steps[0]);\n"),
            _ => {
                let _ = writeln!(
                    text,
                    "    at += rest % params.sizes[{axis}] * uint(params.out_steps[{axis}]);"
                );
                let _ = writeln!(text, "    rest /= params.sizes[{axis}];");
            }
        }
    }
    text.push_str("    return at;\n}\n");
    text
}
