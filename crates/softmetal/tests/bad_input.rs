//! Kernels and source that do what they must not: an error each time, never a hang or a crash.
mod common;
use common::*;
use softmetal::*;
use std::time::{Duration, Instant};

const ARGS: &str = "device float *x [[buffer(0)]], device ulong *p [[buffer(1)]], uint i [[thread_position_in_grid]]";

/// The error of a kernel with this body over 100 threads, on a device with a limit of 0.3 s.
fn error(body: &str, checked: bool) -> Error {
    let options = DeviceOptions {
        checked,
        time_limit: Duration::from_millis(300),
        ..DeviceOptions::default()
    };
    let d = Device::with_options(options).unwrap();
    let source = format!("{HEAD}kernel void k({ARGS}) {{\n{body} }}");
    let x = shared(&d, &[1f32; 100]);
    let p = shared(&d, &[0u64, 0x7654_3210_0000, 3]);
    let start = Instant::now();
    let pipeline = d.new_compute_pipeline(&library(&d, &source).function("k").unwrap()).unwrap();
    let args = [Arg::Buffer(&x), Arg::Buffer(&p)];
    let outcome = dispatch(&d, &pipeline, &args, &[], Size::new(100, 1, 1), Size::new(32, 1, 1));
    assert!(start.elapsed() < Duration::from_secs(60));
    // The process has survived: the same device still works.
    let again = run(
        &d,
        "kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 2; }",
        "k",
        &[Arg::Buffer(&x)],
        100,
        32,
    );
    again.unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0; 100]);
    outcome.expect_err(body)
}

#[test]
fn endless_loops_end() {
    for body in [
        "while (true) {}",
        "for (uint k = 1; k != 0; k += 2) x[i] += k;",
        "for (;;) { threadgroup_barrier(mem_flags::mem_threadgroup); }",
        "for (;;) { x[i] = simd_sum(x[i]); }",
        "if (i == 70) while (x[i] > -1) x[i] += 1;",
    ] {
        for checked in [false, true] {
            let e = error(body, checked).to_string();
            assert!(e.contains("kernel 'k': it took longer than 0.3 s"), "{body}: {e}");
        }
    }
}

#[test]
fn stack_overflow_is_reported() {
    let body = "volatile float big[100000]; for (int k = 0; k < 100000; k += 5) big[k] = k; x[i] = big[i] + big[99999];";
    for checked in [false, true] {
        let e = error(body, checked).to_string();
        assert!(e.contains("stack overflow") && e.contains("test.metal:4"), "{e}");
    }
}

#[test]
fn wild_pointers_are_faults_or_reports() {
    for (body, what) in [
        ("*(device float *)(p[1] + 4 * i) = 1;", "0x76543210"),
        ("x[i] = *(device float *)(p[0]);", "null"),
        ("x[i + 400000000000ul] = 1;", ""),
    ] {
        let Error::Fault { kernel, what: e } = error(body, false) else { panic!("{body}") };
        assert!(kernel == "k" && e.contains("where there is nothing"), "{e}");
        assert!(e.contains("at test.metal:4, thread"), "{e}");
        let Error::Checked(list) = error(body, true) else { panic!("{body}") };
        assert_eq!((list[0].kind, list[0].side.line), (ReportKind::OutOfBounds, 4), "{}", list[0]);
        assert!(!what.contains("null") || list[0].to_string().contains("null pointer"));
    }
}

#[test]
fn division_by_zero_is_reported() {
    let e = error("x[i] = int(i) / int(x[i] - 1);", false).to_string();
    assert!(e.contains("integer division by zero at test.metal:4"), "{e}");
}

#[test]
fn source_that_never_ends() {
    let twice: String = (0..40).map(|n| format!("#define M{} M{n} M{n}\n", n + 1)).collect();
    let many = format!("#define M0 int\n{twice}M40 x;\n");
    assert!(errors(&many).contains("more than 64 MiB"));
    let deep = "template <int N> struct A { static constant constexpr int v = A<N + 1>::v; };\nkernel void k(device int *x [[buffer(0)]]) { x[0] = A<0>::v; }";
    assert!(errors(deep).contains("template instantiation exceeded maximum depth"));
    let long = "constexpr int f() { int n = 0; while (true) n ^= 1; return n; }\nconstant constexpr int V = f();\nkernel void k(device int *x [[buffer(0)]]) { x[0] = V; }";
    assert!(errors(long).contains("test.metal:2"), "{}", errors(long));
}

#[test]
fn files_that_are_not_there() {
    let d = device();
    let e = d.new_library_with_file("/no/such/file.metal", &CompileOptions::default());
    assert!(e.err().unwrap().to_string().contains("reading /no/such/file.metal"));
    assert!(
        errors("#include \"nowhere.h\"\n")
            .contains("test.metal:1:10: error: 'nowhere.h' file not found")
    );
}
