//! More of the language: atomics, conversions, argument buffers, C++ as kernels use it, refusals.
mod common;
use common::*;
use half::f16;
use softmetal::*;

/// Runs a body once that fills `o`.
fn words(body: &str, n: usize) -> Vec<u32> {
    let source = format!("{HEAD}kernel void k(device uint *o [[buffer(0)]]) {{ {body} }}");
    let d = checked();
    let out = shared(&d, &vec![0u32; n]);
    run(&d, &source, "k", &[Arg::Buffer(&out)], 1, 1).unwrap_or_else(|e| panic!("{e}"));
    out.to_vec().unwrap()
}

#[test]
fn atomics_of_every_kind() {
    let body = "device atomic_uint *a = (device atomic_uint *)o; device atomic_int *s = (device atomic_int *)o;\n\
        atomic_store_explicit(a, 12u, memory_order_relaxed);\n\
        o[10] = atomic_fetch_add_explicit(a, 3u, memory_order_relaxed); o[11] = atomic_fetch_sub_explicit(a, 5u, memory_order_relaxed);\n\
        o[12] = atomic_fetch_and_explicit(a, 6u, memory_order_relaxed); o[13] = atomic_fetch_or_explicit(a, 9u, memory_order_relaxed);\n\
        o[14] = atomic_fetch_xor_explicit(a, 15u, memory_order_relaxed); o[15] = atomic_exchange_explicit(a, 100u, memory_order_relaxed);\n\
        o[16] = atomic_fetch_min_explicit(a, 50u, memory_order_relaxed); o[17] = atomic_fetch_max_explicit(a, 70u, memory_order_relaxed);\n\
        uint want = 1; while (!atomic_compare_exchange_weak_explicit(a, &want, 7u, memory_order_relaxed, memory_order_relaxed)) {}\n\
        o[18] = atomic_load_explicit(a, memory_order_relaxed); o[19] = want;\n\
        atomic_store_explicit(s + 1, -5, memory_order_relaxed); atomic_fetch_min_explicit(s + 1, -9, memory_order_relaxed); atomic_fetch_max_explicit(s + 1, -7, memory_order_relaxed);\n\
        device atomic_float *f = (device atomic_float *)(o + 2); atomic_store_explicit(f, 1.5f, memory_order_relaxed); atomic_fetch_add_explicit(f, 2.25f, memory_order_relaxed); atomic_fetch_sub_explicit(f, 0.25f, memory_order_relaxed);\n\
        device atomic_ulong *l = (device atomic_ulong *)(o + 4); atomic_max_explicit(l, 0x500000000ul, memory_order_relaxed);\n\
        atomic_bool b; threadgroup atomic_int t[2]; atomic_store_explicit(t, 3, memory_order_relaxed); atomic_fetch_add_explicit(&t[0], 4, memory_order_relaxed); o[6] = atomic_load_explicit(t, memory_order_relaxed);\n\
        atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); (void)b;";
    let got = words(body, 20);
    assert_eq!(got[10..], [12, 15, 10, 2, 11, 4, 100, 50, 7, 70]);
    assert_eq!((got[0], got[1] as i32, f32::from_bits(got[2])), (7, -7, 3.5));
    assert_eq!((got[4], got[5], got[6]), (0, 5, 7));
}

#[test]
fn bits_as_other_types() {
    let body = "o[0] = as_type<uint>(-1.0f); o[1] = as_type<uint>(half2(1, -2)); o[2] = uint(as_type<ushort>(half(0.5h))); o[3] = as_type<uint>(uchar4(1, 2, 3, 4));\n\
        o[4] = uint(as_type<float>(0x40490fdbu) * 1000); o[5] = uint(as_type<half4>(ulong(0x3c00400042004400ul)).x); o[6] = uint(as_type<bfloat>(ushort(0x4049)) * 100); o[7] = uint(int(-3.7f)) + 10; o[8] = uint(uchar(300)); o[9] = uint(half(65504.0f) > 65000.0h);";
    let halves =
        u32::from(f16::from_f32(1.0).to_bits()) | u32::from(f16::from_f32(-2.0).to_bits()) << 16;
    assert_eq!(words(body, 10), [0xbf80_0000, halves, 0x3800, 0x0403_0201, 3141, 4, 314, 7, 44, 1]);
}

#[test]
fn packing_both_ways() {
    let body = "float4 v = float4(0.0f, 0.25f, 1.0f, -1.0f); o[0] = pack_float_to_snorm4x8(v); o[1] = pack_float_to_unorm2x16(v.yz); o[2] = pack_half_to_unorm4x8(half4(v));\n\
        o[3] = uint(unpack_snorm4x8_to_float(0x81007f40u).x * 127 + 0.5f); o[4] = uint(unpack_unorm2x16_to_float(0xffff8000u).y); o[5] = as_type<uint>(unpack_snorm2x16_to_float(0x80018000u).x); o[6] = uint(unpack_unorm4x8_to_half(0x00ff0000u).z);\n\
        o[7] = pack_float_to_unorm10a2(float4(1, 0, 0.5f, 1)); o[8] = pack_float_to_unorm565(float3(1, 0, 1));";
    let quarter = |max: f32| (0.25 * max).round_ties_even() as u32;
    assert_eq!(
        words(body, 9),
        [
            quarter(127.0) << 8 | 127 << 16 | 0x81 << 24,
            quarter(65535.0) | 65535 << 16,
            quarter(255.0) << 8 | 255 << 16,
            64,
            1,
            (-1f32).to_bits(),
            1,
            1023 | 512 << 20 | 3 << 30,
            31 | 31 << 11,
        ]
    );
}

#[test]
fn cpp_as_kernels_use_it() {
    let source = format!(
        "{HEAD}enum class Op : uint {{ add = 1, mul = 2 }};\nunion Bits {{ float f; uint u; }};\n\
         struct Complex {{ float re, im; Complex operator*(Complex o) const {{ return {{re * o.re - im * o.im, re * o.im + im * o.re}}; }} }};\n\
         template <Op op> uint apply(uint a, uint b) {{ if constexpr (op == Op::add) return a + b; else return a * b; }}\n\
         template <typename T> struct Sum {{ using value = T; static constexpr constant T start = 3; T total = start; void operator+=(T v) {{ total += v; }} }};\n\
         template <typename F> uint twice(F f, uint x) {{ return f(f(x)); }}\n\
         template <typename... T> uint count(T... v) {{ return sizeof...(T) + (uint(v) + ...); }}\n\
         constant uint table[2][3] = {{{{1, 2, 3}}, {{4, 5, 6}}}}; constant float3 up = float3(0, 1, 0);\n\
         static inline void bump(device uint &x) {{ x += 1; }}\nstatic uint read(constant uint (&t)[3]) {{ return t[2]; }}\n\
         static uint fall(uint n) {{ switch (n) {{ case 0: return 5; case 1: n += 2; default: n *= 10; }} return n; }}\n\
         namespace a {{ namespace b {{ constexpr constant int deep = 77; }} }} using namespace a::b;\n\
         [[host_name(\"renamed\")]] kernel void k(device uint *o [[buffer(0)]], constant uint *in [[buffer(1)]]) {{\n\
           Bits bits; bits.f = 1.0f; o[0] = bits.u; Complex c = Complex{{1, 2}} * Complex{{3, 4}}; o[1] = uint(c.im); o[2] = apply<Op::add>(3, 4) * 100 + apply<Op::mul>(3, 4);\n\
           Sum<uint> s; s += 4; o[3] = s.total; uint by = 5; o[4] = twice([=](uint x) {{ return x * 2 + by; }}, 1); o[5] = count(1u, 2, 3.5f); o[6] = table[1][2] + uint(up.y); o[7] = 1; bump(o[7]);\n\
           o[8] = read(table[0]); o[9] = fall(0) + fall(1) + fall(2); o[10] = deep; thread uint local[4] = {{1, 2, 3}}; thread uint *p = local; for (uint v : local) o[11] += v; o[12] = p[1] + in[1];\n\
           auto add = [](auto x, auto y) {{ return x + y; }}; o[13] = add(1u, 2u); do {{ o[14]++; if (o[14] == 3) break; }} while (true); o[15] = sizeof(Sum<uint>::value) + alignof(float4); metal::array<uint, 3> arr = {{7, 8, 9}}; o[16] = arr[2] + arr.size(); }}"
    );
    let d = checked();
    let l = library(&d, &source);
    assert_eq!(l.function_names(), ["renamed"]);
    let p = d.new_compute_pipeline(&l.function("renamed").unwrap()).unwrap();
    let out = shared(&d, &[0u32; 17]);
    let args = [Arg::Buffer(&out), Arg::Bytes(bytes(&[1u32, 40]))];
    dispatch(&d, &p, &args, &[], Size::new(1, 1, 1), Size::new(1, 1, 1))
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        out.to_vec::<u32>().unwrap(),
        [1f32.to_bits(), 10, 712, 7, 19, 3 + 6, 7, 2, 3, 5 + 30 + 20, 77, 6, 42, 3, 3, 20, 12]
    );
}

#[test]
fn argument_buffers_with_arrays_and_checks() {
    let source = format!(
        "{HEAD}struct Inner {{ device float *out; }}; struct Args {{ constant float *in [[id(0)]]; uint n [[id(1)]]; array<device float *, 2> many [[id(2)]]; Inner inner; }};\n\
         kernel void k(device const Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ if (i < a.n) {{ a.many[i % 2][i] = a.in[i]; a.inner.out[i] = -a.in[i]; }} }}"
    );
    let d = checked();
    let x = shared(&d, &[1f32, 2.0, 3.0, 4.0]);
    let out: Vec<Buffer> = (0..3).map(|_| shared(&d, &[0f32; 4])).collect();
    let args = shared(
        &d,
        &[x.gpu_address(), 4, out[0].gpu_address(), out[1].gpu_address(), out[2].gpu_address()],
    );
    let p = d.new_compute_pipeline(&library(&d, &source).function("k").unwrap()).unwrap();
    let go = |resources: &[&Buffer]| {
        let c = d.new_command_queue().command_buffer();
        let mut e = c.compute_encoder().unwrap();
        e.set_pipeline(&p);
        e.set_buffer(0, &args, 0).unwrap();
        resources.iter().for_each(|b| e.use_resource(b));
        e.dispatch_threads(Size::new(6, 1, 1), Size::new(32, 1, 1)).unwrap();
        e.end_encoding();
        c.commit().unwrap();
        c.wait_until_completed()
    };
    go(&[&x, &out[0], &out[1], &out[2]]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(out[0].to_vec::<f32>().unwrap(), [1.0, 0.0, 3.0, 0.0]);
    assert_eq!(out[1].to_vec::<f32>().unwrap(), [0.0, 2.0, 0.0, 4.0]);
    assert_eq!(out[2].to_vec::<f32>().unwrap(), [-1.0, -2.0, -3.0, -4.0]);
    // What use_resource has not named is out of bounds, as on a GPU it may not be there.
    assert!(matches!(go(&[&x, &out[0], &out[1]]), Err(Error::Checked(_))));
}

#[test]
fn macros_and_versions() {
    let source = "#include <metal_math>\n#include <metal_simdgroup>\n#ifdef __METAL_VERSION__\n#define V __METAL_VERSION__\n#endif\n\
        kernel void k(device uint *o [[buffer(0)]]) { o[0] = V; o[1] = uint(EXTRA); o[2] = __METAL__ + 10 * __METAL_MACOS__; o[3] = uint(M_PI_F * 100); o[4] = uint(HALF_MAX) + CHAR_BIT; }";
    let d = device();
    for version in [240, 310, 320] {
        let options = CompileOptions {
            language_version: version,
            defines: vec![("EXTRA".into(), "0x2a".into())],
            ..CompileOptions::default()
        };
        let l = d.new_library_with_source(source, &options).unwrap();
        let p = d.new_compute_pipeline(&l.function("k").unwrap()).unwrap();
        let out = shared(&d, &[0u32; 5]);
        dispatch(&d, &p, &[Arg::Buffer(&out)], &[], Size::new(1, 1, 1), Size::new(1, 1, 1))
            .unwrap();
        assert_eq!(out.to_vec::<u32>().unwrap(), [version, 42, 11, 314, 65512]);
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for (source, words) in [
        (
            "#include <metal_raytracing>\nkernel void k(device float *o [[buffer(0)]]) { }",
            "ray tracing is not supported",
        ),
        (
            "using namespace raytracing;\nkernel void k(instance_acceleration_structure a [[buffer(0)]]) { }",
            "ray tracing is not supported",
        ),
        (
            "kernel void k(tensor<device half, dextents<int, 2>> t [[buffer(0)]]) { }",
            "'tensor' is not supported",
        ),
        (
            "#include <metal_tensor>\nkernel void k(device float *o [[buffer(0)]]) { }",
            "'tensor' is not supported",
        ),
        (
            "kernel void k(visible_function_table<void()> t [[buffer(0)]]) { }",
            "function tables are not supported",
        ),
        ("kernel void k(device double *o [[buffer(0)]]) { }", "'double' is not supported"),
    ] {
        let e = errors(&format!("{HEAD}{source}"));
        assert!(e.contains(words) && e.contains("test.metal:"), "{source}\n{e}");
    }
}

#[test]
fn what_cannot_run_is_said_when_it_is_asked_for() {
    for (source, name, words) in [
        ("kernel void k(texture2d<float, access::write> t [[texture(0)]]) { }", "k", "textures"),
        ("kernel void k(array<texture3d<half>, 4> t [[texture(0)]]) { }", "k", "textures"),
        ("kernel void k(sampler s [[sampler(0)]]) { }", "k", "samplers"),
        ("fragment float4 f() { return 0; }", "f", "a fragment function"),
        ("[[mesh]] void m() { }", "m", "a mesh function"),
    ] {
        let l = library(&device(), &format!("{HEAD}{source}"));
        let e = l.function(name).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("cannot run here") && e.contains(words), "{source}\n{e}");
    }
}
