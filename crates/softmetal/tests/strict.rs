//! What clang would take and Apple's compiler does not: calls whose arguments differ in type,
//! conversions of vectors, references to their elements.
#![allow(missing_docs)]

mod common;
use common::*;
use softmetal::{CompileOptions, Result};

fn compile(source: &str, lenient: bool) -> Result<softmetal::Library> {
    let options = CompileOptions { lenient, ..CompileOptions::default() };
    device().new_library_with_source(&format!("{HEAD}{source}\n"), &options)
}

/// Refused in the third line, with words in the message.
fn refused(source: &str, words: &[&str]) {
    let Err(e) = compile(source, false) else { panic!("it compiled: {source}") };
    let text = e.to_string();
    assert!(text.contains("program_source:3:"), "{source}\n{text}");
    for word in words {
        assert!(text.contains(word), "'{word}' is not in: {text}\n{source}");
    }
}

fn taken(source: &str) {
    if let Err(e) = compile(source, false) {
        panic!("{source}\n{e}");
    }
}

#[test]
fn calls_with_arguments_of_different_types_are_ambiguous() {
    for (source, name) in [
        ("void f(half a, float b) { float c = max(a, b); }", "max"),
        ("void f(int a, uint b) { uint c = min(a, b); }", "min"),
        ("void f(uint i) { uint c = max(i, 3); }", "max"),
        ("void f(float x) { float c = clamp(x, 0, 1); }", "clamp"),
        ("void f(int x) { float c = sqrt(x); }", "sqrt"),
        ("void f(half x) { half c = fma(x, x, 1.0f); }", "fma"),
        ("void f(ulong a, uint b) { ulong c = min(a, b); }", "min"),
        ("void f(uint a) { uint c = rotate(a, 3); }", "rotate"),
        ("void f(bool c, half a, float b) { float d = select(a, b, c); }", "select"),
    ] {
        refused(source, &["ambiguous", name]);
    }
    taken(
        "void f(float x, half h, ushort s, float4 v, packed_float3 p, float3 q) {
           float a = pow(x, 2), b = fma(x, 2, 1), c = max(x, 0.0f), d = dot(p, q);
           half g = max(h, 0.0h); ushort t = min(s, s); int n = max(true, false);
           float4 w = clamp(v, 0, 1) + max(v, 0) + min(1.0f, v) + select(0, v, v > 0) + ldexp(v, 2);
           float3 u = max(p, q) + normalize(p);
         }",
    );
}

#[test]
fn vectors_convert_as_apples_do() {
    for source in [
        "void f(half4 b) { float4 c = b; }",
        "void f(float4 a, half4 b) { float4 c = a + b; }",
        "void f(int3 a, uint3 b) { int3 c = a + b; }",
        "void f(uint2 v) { uint2 w = v * 1.5f; }",
        "void f(uint2 v) { bool2 w = v < 1.5f; }",
        "void f(float4 v) { float3 b = float3(v); }",
    ] {
        refused(source, &[]);
    }
    refused("void f(uint3 a) { uint c = dot(a, a); }", &["dot"]);
    taken(
        "void f(half4 h, uint2 u, float x) {
           half4 w = h * 0.5f; w *= 2.0f; w += 1; float4 c = float4(h) + (float4)h;
           u = u * 3 + 1u; u = u << 2; float3 b = x; b.xy = 2; b.x += 1; b.zx += float2(1);
         }",
    );
}

#[test]
fn no_reference_binds_to_an_element() {
    let g = "void g(thread float &x) { x = 1; } ";
    for body in [
        "void f(float4 v) { g(v.x); }",
        "void f(float4 v) { g(v[1]); }",
        "void f(float4 v) { thread float *p = &v.x; }",
        "void f(device float4 *v) { device float *p = &v[3].y; }",
        "void f(float4 v) { thread float &r = v.w; r = 1; }",
        "void f(float4 v) { float s = sincos(v.x, v.y); }",
    ] {
        refused(&format!("{g}{body}"), &[]);
    }
    // A field of a struct is no element, and templates change elements in place.
    taken(&format!(
        "{g}struct P {{ float x; }}; template <typename V> void t(V v) {{ v.x += 1; v.y++; v.xy *= 2; v[0]++; }}
         void f(float4 v, P p) {{ g(p.x); float y = v.x; g(y); t(v); t(uint2(1)); }}"
    ));
}

#[test]
fn groups_atomics_and_matrices_take_their_types_only() {
    for (source, name) in [
        ("void f(long x) { long c = simd_sum(x); }", "simd_sum"),
        ("void f(bool x) { bool c = simd_shuffle(x, 1); }", "simd_shuffle"),
        ("void f(float x) { float c = simd_and(x); }", "simd_and"),
        (
            "void f(device atomic_bool *p) { atomic_fetch_add_explicit(p, true, memory_order_relaxed); }",
            "atomic_fetch_add_explicit",
        ),
        (
            "void f(device atomic_ulong *p) { atomic_fetch_add_explicit(p, 1, memory_order_relaxed); }",
            "atomic_fetch_add_explicit",
        ),
        (
            "void f(device atomic_float *p) { atomic_fetch_max_explicit(p, 1.0f, memory_order_relaxed); }",
            "atomic_fetch_max_explicit",
        ),
        (
            "void f(device float *p) { simdgroup_half8x8 m; simdgroup_load(m, p, 8); }",
            "simdgroup_load",
        ),
    ] {
        refused(source, &["no matching function", name]);
    }
    taken(
        "void f(float x, device half *p, device atomic_ulong *u, device atomic_float *a, threadgroup atomic_uint *b) {
           float3 c = simd_sum(float3(x)); short d = simd_max(short(x)); uint2 e = simd_xor(uint2(1));
           simdgroup_half8x8 m; simdgroup_load(m, p, 8); simdgroup_store(m, p, 8, 0, true);
           atomic_max_explicit(u, 1, memory_order_relaxed); atomic_fetch_add_explicit(a, 1.0f, memory_order_relaxed);
           atomic_fetch_add_explicit(b, 1, memory_order_relaxed);
         }",
    );
}

#[test]
fn names_of_metals_types_are_taken() {
    refused(
        "float level(float x) { return x; } void f() { level(1.0f); }",
        &["level", "ambiguous"],
    );
    refused("constant uint bias [[function_constant(0)]]; void f() { uint b = bias; }", &["bias"]);
    taken("void f(float bias, uint level) { float b = bias * level; }");
}

#[test]
fn lenient_takes_them() -> Result<()> {
    let g = "void g(thread float &x) { x = 1; } ";
    for source in [
        "void f(half a, float b, uint i) { float c = max(a, b) + pow(2, 3) + sqrt(i) + max(i, 3); }",
        "void f(float x) { float c = clamp(x, 0, 1); }",
        &format!("{g} void f(float4 v) {{ g(v.x); }}"),
    ] {
        compile(source, true)?;
    }
    Ok(())
}
