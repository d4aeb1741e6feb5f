//! One small kernel per feature of the language, with the result computed here in Rust.
mod common;
use common::*;
use half::f16;
use softmetal::*;

#[test]
fn vectors_swizzles_and_constructors() {
    let got = one(
        "float4 v = float4(1, 2, 3, 4); v.xy = v.yx; v.zw += float2(10); float3 w = v.wzy;\n\
         o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w; o[4] = w.x; o[5] = w.y; o[6] = w.z;\n\
         float4 u = float4(w, 5.0f); o[7] = u.a; o[8] = float4(int4(7, 8, 9, 10)).z; o[9] = (half4(1.5h) * 2).y;\n\
         o[10] = float(uchar4(200, 100, 50, 25).y); o[11] = v.rgba.b; o[12] = dot(v, 2 - v); u.bgr = float3(1, 2, 3); o[13] = u.x; o[14] = float3(9)[1]; o[15] = any(v > 12) && all(v < 15) ? 1 : 0;",
    );
    let v = [2.0f32, 1.0, 13.0, 14.0];
    let dot: f32 = v.iter().map(|x| x * (2.0 - x)).sum();
    assert_eq!(
        got,
        [2.0, 1.0, 13.0, 14.0, 14.0, 13.0, 1.0, 5.0, 9.0, 3.0, 100.0, 13.0, dot, 3.0, 9.0, 1.0]
    );
}

#[test]
fn packed_vectors_and_layout() {
    let source = format!(
        "{HEAD}struct S {{ packed_float3 p; float f; float3 v; half2 h; char c; }};\n\
         kernel void k(device uint *o [[buffer(0)]]) {{ o[0] = sizeof(S); o[1] = sizeof(packed_float3); o[2] = sizeof(float3); o[3] = alignof(half4); o[4] = sizeof(packed_half3); o[5] = sizeof(bool4); o[6] = sizeof(float3x3); o[7] = sizeof(long); }}"
    );
    assert_eq!(output::<u32>(&source, "k", 8, 1), [48, 12, 16, 8, 6, 4, 48, 8]);
}

#[test]
fn matrices() {
    let got = one(
        "float2x3 m = float2x3(float3(1, 2, 3), float3(4, 5, 6)); float3 v = m * float2(1, 10); float2 w = float3(1, 1, 1) * m;\n\
         float3x2 t = transpose(m); float4x4 id = float4x4(2.0f); o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = w.x; o[4] = w.y; o[5] = t[2][1];\n\
         o[6] = determinant(float3x3(float3(2, 0, 1), float3(1, 3, 2), float3(1, 1, 4))); o[7] = determinant(id); float2x2 p = float2x2(1, 2, 3, 4) * float2x2(5, 6, 7, 8); o[8] = p[0][0]; o[9] = p[1][1]; m[1].y = 50; o[10] = m[1][1];",
    );
    // Columns: p[0] = 5*(1,2) + 6*(3,4), p[1] = 7*(1,2) + 8*(3,4).
    assert_eq!(got[..11], [41.0, 52.0, 63.0, 6.0, 15.0, 6.0, 18.0, 16.0, 23.0, 46.0, 50.0]);
}

#[test]
fn templates_lambdas_structs_and_constants() {
    let source = format!(
        "{HEAD}constant float table[4] = {{1, 2, 3, 4}};\nconstant constexpr int N = 3;\nstruct Pair {{ float a; float b; float sum() const {{ return a + b; }} float sum() const device {{ return a * b; }} }};\n\
         template <typename T, int K> T power(T x) {{ T r = 1; for (int i = 0; i < K; i++) r *= x; return r; }}\n\
         template <typename T> struct Twice {{ T operator()(T x) const {{ return x * 2; }} }};\n\
         float pick(constant float *t, int i) {{ return t[i]; }}\nvoid bump(thread float &x) {{ x += 1; }}\n\
         namespace inner {{ static inline float half_of(float x) {{ return x / 2; }} }}\n\
         kernel void k(device float *o [[buffer(0)]], device Pair *p [[buffer(1)]], uint i [[thread_position_in_grid]]) {{ if (i) return;\n\
           auto add = [&](float x) {{ return x + o[9]; }}; Pair q = p[0]; using F = float; F y = 1; bump(y); static_assert(sizeof(F) == 4, \"float\");\n\
           o[0] = power<float, N>(2); o[1] = Twice<float>()(4); o[2] = pick(table, 2); o[3] = add(1); o[4] = q.sum(); o[5] = p[0].sum(); o[6] = y; o[7] = inner::half_of(5); if constexpr (N > 2) o[8] = 1; }}"
    );
    let d = device();
    let (out, pairs) =
        (shared(&d, &[0f32, 0., 0., 0., 0., 0., 0., 0., 0., 40.]), shared(&d, &[3f32, 5.0]));
    run(&d, &source, "k", &[Arg::Buffer(&out), Arg::Buffer(&pairs)], 4, 4).unwrap();
    assert_eq!(out.to_vec::<f32>().unwrap()[..9], [8.0, 8.0, 3.0, 41.0, 8.0, 15.0, 2.0, 2.5, 1.0]);
}

#[test]
fn template_kernels_by_host_name_and_macros() {
    let source = format!(
        "{HEAD}#define INST(T) template [[host_name(\"scale_\" #T)]] kernel void scale<T>(device T *, constant float &, uint);\n\
         template <typename T> kernel void scale(device T *x [[buffer(0)]], constant float &s [[buffer(1)]], uint i [[thread_position_in_grid]]) {{ x[i] = T(float(x[i]) * s); }}\nINST(float) INST(half) INST(int)\n\
         template [[host_name(\"again\")]] [[kernel]] decltype(scale<uchar>) scale<uchar>;"
    );
    let d = device();
    let l = library(&d, &source);
    assert_eq!(l.function_names(), ["scale_float", "scale_half", "scale_int", "again"]);
    let x = shared(&d, &[1i32, -2, 3]);
    let p = d.new_compute_pipeline(&l.function("scale_int").unwrap()).unwrap();
    dispatch(
        &d,
        &p,
        &[Arg::Buffer(&x), Arg::Bytes(bytes(&[2.5f32]))],
        &[],
        Size::new(3, 1, 1),
        Size::new(32, 1, 1),
    )
    .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [2, -5, 7]);
    assert_eq!(p.arguments()[0].data_size, 4);
}

#[test]
fn function_constants() {
    let source = format!(
        "{HEAD}constant bool has_bias [[function_constant(0)]];\nconstant int mode [[function_constant(100 + 1)]];\nconstant float2 s [[function_constant(2)]];\nconstant int real_mode = is_function_constant_defined(mode) ? mode : 7;\n\
         kernel void k(device float *o [[buffer(0)]], device const float *bias [[buffer(1), function_constant(has_bias)]], uint i [[thread_position_in_grid]]) {{ float v = real_mode + s.y; if (has_bias) v += bias[i]; o[i] = v; }}"
    );
    let d = device();
    let l = library(&d, &source);
    let (out, bias) = (shared(&d, &[0f32; 2]), shared(&d, &[0.5f32, 0.25]));
    let unset = d.new_compute_pipeline(&l.function("k").unwrap()).err().unwrap().to_string();
    assert!(unset.contains("'has_bias' (0), 's' (2)") && !unset.contains("mode"), "{unset}");
    let mut c = FunctionConstants::default();
    c.set(0, false).set(2, ConstantValue::Vector(vec![0f32.into(), 0f32.into()]));
    let plain = d.new_compute_pipeline(&l.function_with_constants("k", &c).unwrap()).unwrap();
    assert!(!plain.arguments()[1].active);
    dispatch(&d, &plain, &[Arg::Buffer(&out)], &[], Size::new(2, 1, 1), Size::new(2, 1, 1))
        .unwrap();
    assert_eq!(out.to_vec::<f32>().unwrap(), [7.0, 7.0]);
    let mut c = FunctionConstants::default();
    c.set(0, true)
        .set(101, 3i32)
        .set_named("s", ConstantValue::Vector(vec![1f32.into(), 100f32.into()]));
    let p = d.new_compute_pipeline(&l.function_with_constants("k", &c).unwrap()).unwrap();
    dispatch(
        &d,
        &p,
        &[Arg::Buffer(&out), Arg::Buffer(&bias)],
        &[],
        Size::new(2, 1, 1),
        Size::new(2, 1, 1),
    )
    .unwrap();
    assert_eq!(out.to_vec::<f32>().unwrap(), [103.5, 103.25]);
    assert!(
        dispatch(&d, &p, &[Arg::Buffer(&out)], &[], Size::new(2, 1, 1), Size::new(2, 1, 1))
            .is_err()
    );
}

#[test]
fn functions_that_call_themselves() {
    let source = format!(
        "{HEAD}bool odd(uint n);\nbool even(uint n) {{ return n == 0 ? true : odd(n - 1); }}\n\
         bool odd(uint n) {{ return n == 0 ? false : even(n - 1); }}\n\
         uint fibonacci(uint n) {{ return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }}\n\
         kernel void k(device uint *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ o[i] = fibonacci(i) * 2 + odd(i); }}"
    );
    let got = output::<u32>(&source, "k", 12, 4);
    assert_eq!(got, [0, 3, 2, 5, 6, 11, 16, 27, 42, 69, 110, 179]);
}

#[test]
fn index_attributes_with_ragged_edges() {
    let source = format!(
        "{HEAD}kernel void k(device uint *o [[buffer(0)]], uint3 g [[thread_position_in_grid]], ushort3 t [[thread_position_in_threadgroup]], uint3 p [[threadgroup_position_in_grid]], uint3 n [[threads_per_grid]], ushort3 size [[threads_per_threadgroup]], ushort3 full [[dispatch_threads_per_threadgroup]], uint idx [[thread_index_in_threadgroup]], uint3 groups [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]], uint sgs [[simdgroups_per_threadgroup]], uint w [[threads_per_simdgroup]]) {{\n\
          uint at = ((g.z * n.y + g.y) * n.x + g.x) * 8; o[at] = t.x + 100 * t.y + 10000 * t.z; o[at + 1] = p.x + 100 * p.y; o[at + 2] = size.x + 100 * size.y; o[at + 3] = full.x; o[at + 4] = idx; o[at + 5] = groups.x + 100 * groups.y; o[at + 6] = lane + 100 * sg; o[at + 7] = sgs + 100 * w; }}"
    );
    let d = device();
    let (nx, ny, nz) = (10u32, 7, 2);
    let out = shared(&d, &vec![0u32; (nx * ny * nz * 8) as usize]);
    let p = d.new_compute_pipeline(&library(&d, &source).function("k").unwrap()).unwrap();
    dispatch(&d, &p, &[Arg::Buffer(&out)], &[], Size::new(10, 7, 2), Size::new(8, 5, 1)).unwrap();
    let got = out.to_vec::<u32>().unwrap();
    for (z, y, x) in
        (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (z, y, x))))
    {
        let at = (((z * ny + y) * nx + x) * 8) as usize;
        let (tx, ty, gx, gy) = (x % 8, y % 5, x / 8, y / 5);
        let (sx, sy) = (if gx == 1 { 2 } else { 8 }, if gy == 1 { 2 } else { 5 });
        let idx = ty * sx + tx;
        let want = [
            tx + 100 * ty,
            gx + 100 * gy,
            sx + 100 * sy,
            8,
            idx,
            202,
            idx % 32 + 100 * (idx / 32),
            (sx * sy).div_ceil(32) + 3200,
        ];
        assert_eq!(got[at..at + 8], want, "{x} {y} {z}");
    }
}

#[test]
fn simd_functions_over_a_whole_and_a_partial_group() {
    let source = format!(
        "{HEAD}kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]], uint n [[threads_per_grid]]) {{\n\
          int v = int(i) * 3 % 17 + 1; int r[16] = {{simd_sum(v), simd_max(v), simd_min(v), simd_prefix_inclusive_sum(v), simd_prefix_exclusive_sum(v), simd_xor(v), simd_shuffle(v, 3), simd_shuffle_xor(v, 1),\n\
           simd_shuffle_up(v, 2), simd_shuffle_down(v, 1), simd_broadcast_first(v), int(ulong(simd_ballot(v > 9))), int(simd_any(v > 16)), int(simd_all(v > 0)), quad_sum(v), simd_and(v | 1)}};\n\
          for (int k = 0; k < 16; k++) o[i * 16 + k] = r[k]; }}"
    );
    let n = 44usize;
    let d = device();
    let out = shared(&d, &vec![0i32; n * 16]);
    run(&d, &source, "k", &[Arg::Buffer(&out)], n as u64, 64).unwrap();
    let got = out.to_vec::<i32>().unwrap();
    let v: Vec<i32> = (0..n as i32).map(|i| i * 3 % 17 + 1).collect();
    for i in 0..n {
        let (base, lane) = (i / 32 * 32, i % 32);
        let g = &v[base..(base + 32).min(n)];
        let up = if lane >= 2 { g[lane - 2] } else { v[i] };
        let want = [
            g.iter().sum::<i32>(),
            *g.iter().max().unwrap(),
            *g.iter().min().unwrap(),
            g[..=lane].iter().sum(),
            g[..lane].iter().sum(),
            g.iter().fold(0, |a, b| a ^ b),
            g[3],
            g[lane ^ 1],
            up,
            0,
            g[0],
            g.iter().enumerate().map(|(l, x)| i32::from(*x > 9) << l).fold(0, |a, b| a | b),
            i32::from(g.iter().any(|x| *x > 16)),
            1,
            g[lane / 4 * 4..lane / 4 * 4 + 4].iter().sum(),
            g.iter().fold(-1, |a, b| a & (b | 1)),
        ];
        for k in (0..16).filter(|k| *k != 9) {
            assert_eq!(got[i * 16 + k], want[k], "thread {i}, function {k}");
        }
        if lane + 1 < g.len() {
            assert_eq!(got[i * 16 + 9], g[lane + 1]);
        }
    }
}

#[test]
fn simdgroup_matrices() {
    let source = format!(
        "{HEAD}kernel void k(device float *o [[buffer(0)]], device const half *a [[buffer(1)]], device const float *b [[buffer(2)]], uint lane [[thread_index_in_simdgroup]]) {{\n\
          simdgroup_half8x8 ma; simdgroup_float8x8 mb, mc = make_filled_simdgroup_matrix<float, 8>(1.0f); simdgroup_load(ma, a, 10, ulong2(1, 0)); simdgroup_load(mb, b, 8, 0, true);\n\
          simdgroup_multiply_accumulate(mc, ma, mb, mc); mc.thread_elements()[0] *= 2; simdgroup_store(mc, o, 8); simdgroup_float8x8 d; simdgroup_multiply(d, mb, mb); simdgroup_store(d, o + 64, 8, 0, true); }}"
    );
    let d = device();
    let (a, b) = (random(5, 80), random(6, 64));
    let halves: Vec<u16> = a.iter().map(|x| f16::from_f32(*x).to_bits()).collect();
    let out = shared(&d, &[0f32; 128]);
    run(
        &d,
        &source,
        "k",
        &[Arg::Buffer(&out), Arg::Buffer(&shared(&d, &halves)), Arg::Buffer(&shared(&d, &b))],
        32,
        32,
    )
    .unwrap();
    let mut want = vec![0f32; 128];
    for i in 0..8 {
        for j in 0..8 {
            let s: f32 =
                (0..8).map(|k| f16::from_f32(a[i * 10 + k + 1]).to_f32() * b[j * 8 + k]).sum();
            // Even columns are the first element of a lane.
            want[i * 8 + j] = (s + 1.0) * if j % 2 == 0 { 2.0 } else { 1.0 };
            want[64 + j * 8 + i] = (0..8).map(|k| b[k * 8 + i] * b[j * 8 + k]).sum();
        }
    }
    close(&out.to_vec::<f32>().unwrap(), &want, 1e-5);
}

#[test]
fn atomics_and_threadgroup_arguments() {
    let source = format!(
        "{HEAD}kernel void k(device atomic_uint *h [[buffer(0)]], device atomic_float *f [[buffer(1)]], device atomic<int> *m [[buffer(2)]], threadgroup atomic_uint *local [[threadgroup(0)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {{\n\
          if (t < 4) atomic_store_explicit(&local[t], 0, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup);\n\
          atomic_fetch_add_explicit(&local[i % 4], 1, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup);\n\
          if (t < 4) atomic_fetch_add_explicit(&h[t], atomic_load_explicit(&local[t], memory_order_relaxed), memory_order_relaxed);\n\
          atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed); atomic_fetch_max_explicit(m, int(i), memory_order_relaxed);\n\
          uint want = 99; atomic_compare_exchange_weak_explicit(&h[4], &want, 7u, memory_order_relaxed, memory_order_relaxed); }}"
    );
    let d = device();
    let (h, f, m) = (shared(&d, &[0u32, 0, 0, 0, 99]), shared(&d, &[0f32]), shared(&d, &[0i32]));
    let p = d.new_compute_pipeline(&library(&d, &source).function("k").unwrap()).unwrap();
    let args = [Arg::Buffer(&h), Arg::Buffer(&f), Arg::Buffer(&m)];
    dispatch(&d, &p, &args, &[16], Size::new(1000, 1, 1), Size::new(100, 1, 1)).unwrap();
    assert_eq!(h.to_vec::<u32>().unwrap(), [250, 250, 250, 250, 7]);
    assert_eq!(f.to_vec::<f32>().unwrap(), [500.0]);
    assert_eq!(m.to_vec::<i32>().unwrap(), [999]);
}

#[test]
fn argument_buffers() {
    let source = format!(
        "{HEAD}struct Args {{ device float *x [[id(0)]]; constant float *y [[id(1)]]; float s [[id(2)]]; }};\n\
         kernel void k(constant Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ a.x[i] = a.y[i] * a.s; }}"
    );
    let d = device();
    let (x, y) = (shared(&d, &[0f32; 4]), shared(&d, &[1f32, 2.0, 3.0, 4.0]));
    let args = shared(&d, &[x.gpu_address(), y.gpu_address(), u64::from(3f32.to_bits())]);
    run(&d, &source, "k", &[Arg::Buffer(&args)], 4, 4).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [3.0, 6.0, 9.0, 12.0]);
}

#[test]
fn names_that_other_languages_reserve() {
    assert_eq!(
        floats(
            "int local = 1; int global = 2; float generic = 3; o[i] = local + global + generic;",
            2
        ),
        [6.0, 6.0]
    );
}

#[test]
fn pragmas_and_predefined_macros() {
    let got = one(
        "\n#if defined(__METAL__) && __METAL_VERSION__ >= 320 && defined(__HAVE_BFLOAT__)\no[0] = 1;\n#endif\n_Pragma(\"clang loop unroll(full)\") for (int k = 1; k < 4; k++) o[k] = k;\n#pragma unroll\nfor (int k = 4; k < 6; k++) o[k] = k;",
    );
    assert_eq!(got[..6], [1.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn kernels_called_like_functions_of_the_library() {
    let source = format!(
        "{HEAD}kernel void transpose(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ o[i] = i + 1; }}\n\
         template <typename T> kernel void dot(device T *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ o[i] = i + 2; }}\n\
         template [[host_name(\"dot_float\")]] kernel void dot<float>(device float *, uint);"
    );
    assert_eq!(output::<f32>(&source, "transpose", 2, 2), [1.0, 2.0]);
    assert_eq!(output::<f32>(&source, "dot_float", 2, 2), [2.0, 3.0]);
}

#[test]
fn tables_in_classes_and_pointers_to_pointers() {
    let source = format!(
        "{HEAD}template <int N> struct S {{ static constant constexpr const float table[2] = {{1, N}}; }};\n\
         template <> struct S<7> {{ static constant constexpr const float table[2] = {{2, 14}}; }};\n\
         constant constexpr const float S<7>::table[2];\n\
         float sum(thread device const float * const * p, int n) {{ float s = 0; for (int k = 0; k < n; k++) s += p[k][0]; return s; }}\n\
         kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{\n\
           o[i] = S<3>::table[1] * 10 + S<7>::table[i]; threadgroup_barrier(mem_flags::mem_device);\n\
           thread const device float *rows[2] = {{o, o + 1}}; float s = sum(rows, 2);\n\
           threadgroup_barrier(mem_flags::mem_device); o[i] = s; }}"
    );
    assert_eq!(output::<f32>(&source, "k", 2, 2), [76.0, 76.0]);
}

#[test]
fn comparisons_in_template_headers() {
    let source = format!(
        "{HEAD}template <typename U> struct Op {{\n\
           template <typename T, metal::enable_if_t<sizeof(T) < 8, bool> = true> T f(T x) {{ return g(x); }}\n\
           template <typename T, metal::enable_if_t<sizeof(T) == 8, bool> = true> T f(T x) {{ return g(x) + 1; }}\n\
           U g(U x) {{ return x * 2; }} }};\n\
         kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {{\n\
           Op<float> a; Op<ulong> b; o[i] = a.f(float(i)) + b.f(ulong(i)); }}"
    );
    assert_eq!(output::<f32>(&source, "k", 3, 4), [1.0, 5.0, 9.0]);
}

#[test]
fn methods_of_temporaries() {
    let source = format!(
        "{HEAD}struct Wide {{ ulong low; Wide(ulong l) : low(l) {{}} Wide operator+(const Wide o) const {{ return Wide(low + o.low); }}\n\
           bool operator<(const Wide o) const {{ return low < o.low; }} bool less(Wide o, int by = 1) const {{ return low + by < o.low; }} operator float() const {{ return low; }} }};\n\
         struct Op {{ float operator()(float x) {{ return x * 2; }} float f(float x) const {{ return x + 1; }} }};\n\
         Op make() {{ return Op(); }}\n\
         kernel void k(device float *o [[buffer(0)]]) {{ Wide a(1), b(2);\n\
           o[0] = (a + b) < a; o[1] = (a + b).less(Wide(9)); o[2] = Wide(3) < b; o[3] = a < (a + b); o[4] = a + b; o[5] = make().f(3) + make()(4) + Op().f(1) + Op()(2); }}"
    );
    assert_eq!(output::<f32>(&source, "k", 6, 1)[..6], [0.0, 1.0, 0.0, 1.0, 3.0, 18.0]);
}
