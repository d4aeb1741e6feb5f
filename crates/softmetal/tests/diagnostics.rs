//! Errors in MSL's terms, at the user's place.
mod common;
use common::{HEAD, errors};

fn check(body: &str, place: &str, words: &str) {
    let e = errors(&format!("{HEAD}{body}\n"));
    assert!(
        e.contains(&format!("test.metal:{place}")) && e.contains(words),
        "wanted {place} '{words}', got:\n{e}"
    );
}

#[test]
fn places_are_the_users() {
    check(
        "kernel void k(device float *o [[buffer(0)]]) {\n    o[0]   =   nothing;\n}",
        "4:16: error",
        "nothing",
    );
    check(
        "#define TWICE(x) ((x) * 2)\nkernel void k(device float *o [[buffer(0)]]) { o[0] = TWICE(missing); }",
        "4:",
        "missing",
    );
    check("kernel void k(device float *o [[buffer(0)]] { }", "3:", "expected");
}

#[test]
fn address_spaces() {
    check("void f(float *p) { }", "3:14: error", "address space");
    check("kernel void k(device float *o [[buffer(0)]]) { float *p = o; }", "3:", "address space");
    check(
        "kernel void k(device float *o [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) { device float *p = t; }",
        "3:",
        "threadgroup float *",
    );
    check(
        "kernel void k(device float *o [[buffer(0)]]) { constant float *p = o; }",
        "3:",
        "device float *",
    );
    check(
        "kernel void k(constant float *c [[buffer(0)]]) { device float *p = c; }",
        "3:",
        "device float *",
    );
    check("kernel void k(constant float *c [[buffer(0)]]) { c[0] = 1; }", "3:", "const");
    check("kernel void k(float *c [[buffer(0)]]) { }", "3:", "address space");
    check("kernel void k(thread float *c [[buffer(0)]]) { }", "3:", "'thread' memory");
}

#[test]
fn what_metal_has_not() {
    check(
        "kernel void k(device float *o [[buffer(0)]]) { double x = 1; o[0] = x; }",
        "3:",
        "'double' is not supported",
    );
    check("struct S { virtual void f() {} };", "3:12: error", "virtual");
}

#[test]
fn kernel_arguments() {
    check("kernel void k(device float *o [[buffer(31)]]) { }", "3:", "there are 31");
    check("kernel void k(device float *o [[buffer(0)]], uint i) { }", "3:", "needs an attribute");
    check("kernel void k(uint i [[thread_position_in_nowhere]]) { }", "3:", "no attribute");
    check(
        "kernel void k(device float *o [[buffer(0)]]) { }\nkernel void k2(device float *o [[buffer(1)]], uint *i [[thread_position_in_grid]]) { }",
        "4:",
        "a value",
    );
    check("void helper() { threadgroup float x[4]; }", "3:", "only be declared in a kernel");
}

#[test]
fn nonsense_is_an_error_and_never_a_panic() {
    for text in [
        "}{",
        "kernel",
        "template <",
        "\"",
        "kernel void k(",
        "[[",
        "#include \"nothing.h\"",
        "namespace {",
        "kernel void k(device float *o [[buffer(",
        "\u{1F980}",
    ] {
        let _ =
            common::device().new_library_with_source(text, &softmetal::CompileOptions::default());
    }
}

#[test]
fn too_much_threadgroup_memory() {
    use softmetal::{Error, Size, StorageMode};
    let d = common::device();
    let source = format!(
        "{HEAD}kernel void big(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ threadgroup float a[4096], b[4097]; a[i] = i; b[i] = i; o[i] = a[i] + b[i]; }}\n\
         kernel void sum(device float *o [[buffer(0)]], threadgroup float *t [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {{ threadgroup float a[8000]; a[i] = i; t[i] = a[i]; o[i] = t[i]; }}"
    );
    let l = common::library(&d, &source);
    let big = d.new_compute_pipeline(&l.function("big").unwrap()).err().unwrap().to_string();
    assert!(big.contains("test.metal:3") && big.contains("32772") | big.contains("32784"), "{big}");
    assert!(big.contains("there are 32768"), "{big}");
    let p = d.new_compute_pipeline(&l.function("sum").unwrap()).unwrap();
    assert_eq!(p.static_threadgroup_memory_length(), 32000);
    let o = d.new_buffer(64, StorageMode::Shared).unwrap();
    let c = d.new_command_queue().command_buffer();
    let mut e = c.compute_encoder().unwrap();
    e.set_pipeline(&p);
    e.set_buffer(0, &o, 0).unwrap();
    e.set_threadgroup_memory_length(0, 784).unwrap();
    let sixteen = Size::new(16, 1, 1);
    let Err(Error::Invalid { rule, .. }) = e.dispatch_threads(sixteen, sixteen) else {
        panic!("32784 bytes were accepted");
    };
    assert!(rule.contains("32784 bytes of threadgroup memory are more than the 32768"), "{rule}");
    e.set_threadgroup_memory_length(0, 768).unwrap();
    e.dispatch_threads(sixteen, sixteen).unwrap();
}
