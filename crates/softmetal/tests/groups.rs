//! Every SIMD-group, quad-group and simdgroup_matrix function, against the same in Rust.
mod common;
use common::*;
use half::{bf16, f16};
use softmetal::*;

/// Runs expressions of `v` (an int that differs by thread) and gives each thread's results.
fn ints(expressions: &[&str], n: usize) -> Vec<Vec<i32>> {
    let k = expressions.len();
    let list = expressions.join(", ");
    let source = format!(
        "{HEAD}kernel void k(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]], uint quad [[thread_index_in_quadgroup]], uint quads [[quadgroup_index_in_threadgroup]]) {{\n\
          int v = int(i) * 7 % 23 - 4; int r[{k}] = {{{list}}}; for (int k = 0; k < {k}; k++) o[i * {k} + k] = r[k]; }}"
    );
    let d = device();
    let out = shared(&d, &vec![0i32; n * k]);
    run(&d, &source, "k", &[Arg::Buffer(&out)], n as u64, n as u64).unwrap();
    out.to_vec::<i32>().unwrap().chunks(k).map(<[i32]>::to_vec).collect()
}

fn value(i: usize) -> i32 {
    i as i32 * 7 % 23 - 4
}

#[test]
fn shuffles() {
    let got = ints(
        &[
            "simd_shuffle(v, (lane * 5 + 1) % 32)",
            "simd_shuffle_xor(v, 13)",
            "simd_broadcast(v, 17)",
            "simd_broadcast_first(v)",
            "simd_shuffle_rotate_up(v, 3)",
            "simd_shuffle_rotate_down(v, 5)",
            "simd_shuffle_and_fill_up(v, v + 100, 3)",
            "simd_shuffle_and_fill_down(v, v + 100, 3)",
            "simd_shuffle_and_fill_up(v, v + 100, 2, 8)",
            "simd_shuffle_and_fill_down(v, v + 100, 2, 8)",
            "int(simd_is_first())",
            "int(ulong(simd_active_threads_mask()))",
            "int(simd_shuffle(float4(v, v + 1, v + 2, v + 3), 9).w)",
            "int(simd_shuffle_down(half(v), 0))",
            "int(simd_shuffle(uchar(v + 10), 4))",
        ],
        64,
    );
    for (i, got) in got.iter().enumerate() {
        let (base, lane) = (i / 32 * 32, i % 32);
        let v = |l: usize| value(base + l);
        let fill = |from: isize, modulo: usize| {
            let segment = lane / modulo * modulo;
            let at = from - segment as isize;
            if at >= 0 && at < modulo as isize {
                v(segment + at as usize)
            } else {
                v(segment + at.rem_euclid(modulo as isize) as usize) + 100
            }
        };
        let l = lane as isize;
        let want = [
            v((lane * 5 + 1) % 32),
            v(lane ^ 13),
            v(17),
            v(0),
            v((lane + 29) % 32),
            v((lane + 5) % 32),
            fill(l - 3, 32),
            fill(l + 3, 32),
            fill(l - 2, 8),
            fill(l + 2, 8),
            i32::from(lane == 0),
            -1,
            v(9) + 3,
            v(lane),
            v(4) + 10,
        ];
        assert_eq!(got[..], want, "thread {i}");
    }
}

#[test]
fn reductions_and_prefixes() {
    let got = ints(
        &[
            "simd_sum(v)",
            "simd_product(v % 3 + 2 > 3 ? 2 : 1)",
            "simd_min(v)",
            "simd_max(v)",
            "simd_and(v | 6)",
            "simd_or(v & 5)",
            "simd_xor(v)",
            "simd_prefix_inclusive_sum(v)",
            "simd_prefix_exclusive_sum(v)",
            "simd_prefix_inclusive_product(v > 16 ? 2 : 1)",
            "simd_prefix_exclusive_product(v > 16 ? 2 : 1)",
            "int(simd_all(v > -5)) + 2 * int(simd_any(v > 100))",
            "int(ulong(simd_ballot(v > 3)))",
            "int(simd_sum(float(v) * 0.5f) * 2)",
            "int(simd_max(half(v)))",
            "int(simd_sum(uint3(1, 2, uint(lane))).z)",
            "int(simd_min(short(v)))",
        ],
        50,
    );
    for (i, got) in got.iter().enumerate() {
        let base = i / 32 * 32;
        let g: Vec<i32> = (base..(base + 32).min(50)).map(value).collect();
        let lane = i - base;
        let double = |v: i32| if v > 16 { 2 } else { 1 };
        let want = [
            g.iter().sum(),
            g.iter()
                .map(|v| if v % 3 + 2 > 3 { 2 } else { 1 })
                .fold(1i32, |a, b| a.wrapping_mul(b)),
            *g.iter().min().unwrap(),
            *g.iter().max().unwrap(),
            g.iter().fold(-1, |a, v| a & (v | 6)),
            g.iter().fold(0, |a, v| a | (v & 5)),
            g.iter().fold(0, |a, v| a ^ v),
            g[..=lane].iter().sum(),
            g[..lane].iter().sum(),
            g[..=lane].iter().map(|v| double(*v)).product(),
            g[..lane].iter().map(|v| double(*v)).product(),
            1,
            g.iter().enumerate().fold(0, |a, (l, v)| a | i32::from(*v > 3) << l),
            g.iter().sum(),
            *g.iter().max().unwrap(),
            (0..g.len() as i32).sum(),
            *g.iter().min().unwrap(),
        ];
        assert_eq!(got[..], want, "thread {i}");
    }
}

#[test]
fn quads() {
    let got = ints(
        &[
            "quad_sum(v)",
            "quad_product(v > 9 ? 3 : 1)",
            "quad_min(v)",
            "quad_max(v)",
            "quad_and(v | 8)",
            "quad_or(v & 3)",
            "quad_xor(v)",
            "quad_prefix_inclusive_sum(v)",
            "quad_prefix_exclusive_sum(v)",
            "quad_prefix_inclusive_product(v > 9 ? 3 : 1)",
            "quad_prefix_exclusive_product(v > 9 ? 3 : 1)",
            "quad_broadcast(v, 2)",
            "quad_broadcast_first(v)",
            "quad_shuffle(v, (quad + 1) % 4)",
            "quad_shuffle_xor(v, 2)",
            "quad_shuffle_rotate_up(v, 1)",
            "quad_shuffle_rotate_down(v, 1)",
            "int(quad_all(v > 0)) + 2 * int(quad_any(v > 15))",
            "int(ulong(quad_ballot(v > 5)))",
            "int(quad_is_first())",
            "int(quads)",
        ],
        32,
    );
    for (i, got) in got.iter().enumerate() {
        let q: Vec<i32> = (i / 4 * 4..i / 4 * 4 + 4).map(value).collect();
        let at = i % 4;
        let triple = |v: i32| if v > 9 { 3 } else { 1 };
        let want = [
            q.iter().sum(),
            q.iter().map(|v| triple(*v)).product(),
            *q.iter().min().unwrap(),
            *q.iter().max().unwrap(),
            q.iter().fold(-1, |a, v| a & (v | 8)),
            q.iter().fold(0, |a, v| a | (v & 3)),
            q.iter().fold(0, |a, v| a ^ v),
            q[..=at].iter().sum(),
            q[..at].iter().sum(),
            q[..=at].iter().map(|v| triple(*v)).product(),
            q[..at].iter().map(|v| triple(*v)).product(),
            q[2],
            q[0],
            q[(at + 1) % 4],
            q[at ^ 2],
            q[(at + 3) % 4],
            q[(at + 1) % 4],
            i32::from(q.iter().all(|v| *v > 0)) + 2 * i32::from(q.iter().any(|v| *v > 15)),
            q.iter().enumerate().fold(0, |a, (l, v)| a | i32::from(*v > 5) << l),
            i32::from(at == 0),
            i as i32 / 4,
        ];
        assert_eq!(got[..], want, "thread {i}");
    }
}

/// A x B + D with matrices of one type, loaded at an origin and stored transposed.
const MATRIX: &str = "
template <typename T> kernel void mma(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *o [[buffer(2)]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup T t[128];
  for (uint e = lane; e < 128; e += 32) t[e] = b[e];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_matrix<T, 8, 8> ma, mb, mc = make_diagonal_simdgroup_matrix<T, 8, 8>(T(2));
  simdgroup_load(ma, a, 16, ulong2(3, 1));
  simdgroup_load(mb, t, 16, ulong2(4, 0), true);
  simdgroup_multiply_accumulate(mc, ma, mb, mc);
  mc.thread_elements()[1] += T(1);
  simdgroup_store(mc, o, 8, ulong2(0, 0), true);
  simdgroup_matrix<T, 8, 8> p = ma * mb;
  simdgroup_store(p, o + 64);
}
template [[host_name(\"float\")]] kernel void mma<float>(device const float *, device const float *, device float *, uint);
template [[host_name(\"half\")]] kernel void mma<half>(device const half *, device const half *, device half *, uint);
template [[host_name(\"bfloat\")]] kernel void mma<bfloat>(device const bfloat *, device const bfloat *, device bfloat *, uint);
";

fn mma<T: Copy + Default>(name: &str, put: fn(f32) -> T, get: fn(T) -> f32, tolerance: f32) {
    let d = checked();
    // Small whole numbers are exact in every type.
    let numbers =
        |seed, n| -> Vec<f32> { random(seed, n).iter().map(|v| (v * 3.0).round()).collect() };
    let (a, b) = (numbers(1, 16 * 16), numbers(2, 128));
    let bits = |x: &[f32]| shared(&d, &x.iter().map(|v| put(*v)).collect::<Vec<T>>());
    let (ba, bb, out) = (bits(&a), bits(&b), bits(&[0.0; 128]));
    let l = library(&d, &format!("{HEAD}{MATRIX}"));
    let p = d.new_compute_pipeline(&l.function(name).unwrap()).unwrap();
    let args = [Arg::Buffer(&ba), Arg::Buffer(&bb), Arg::Buffer(&out)];
    dispatch(&d, &p, &args, &[], Size::new(32, 1, 1), Size::new(32, 1, 1))
        .unwrap_or_else(|e| panic!("{e}"));
    let got: Vec<f32> = out.to_vec::<T>().unwrap().into_iter().map(get).collect();
    let mut want = vec![0f32; 128];
    for i in 0..8 {
        for j in 0..8 {
            // Rows start at 1 and columns at 3; b is read transposed from column 4.
            let s: f32 = (0..8).map(|k| a[(i + 1) * 16 + k + 3] * b[j * 16 + k + 4]).sum();
            let diagonal = if i == j { 2.0 } else { 0.0 };
            want[j * 8 + i] = s + diagonal + (j % 2) as f32;
            want[64 + i * 8 + j] = s;
        }
    }
    close(&got, &want, tolerance);
}

#[test]
fn simdgroup_matrices_of_every_type() {
    mma::<f32>("float", |v| v, |v| v, 0.0);
    mma::<f16>("half", f16::from_f32, f16::to_f32, 0.0);
    mma::<bf16>("bfloat", bf16::from_f32, bf16::to_f32, 0.0);
}
