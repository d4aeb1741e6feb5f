//! Well-known kernels against plain loops, over odd sizes, in checked mode.
mod common;
use common::*;
use half::{bf16, f16};
use softmetal::{Device, FunctionConstants, Library, Size};

const REDUCE: &str = r#"
#include <metal_stdlib>
using namespace metal;
kernel void reduce(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                   uint tid [[thread_position_in_threadgroup]], uint size [[threads_per_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                   uint sgs [[simdgroups_per_threadgroup]]) {
  threadgroup float part[32];
  float s = 0;
  for (uint i = tid; i < n; i += size) s += x[i];
  s = simd_sum(s);
  if (lane == 0) part[sg] = s;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (sg == 0) {
    s = lane < sgs ? part[lane] : 0.0f;
    s = simd_sum(s);
    if (lane == 0) out[0] = s;
  }
}
"#;

#[test]
fn reduction_with_simd_sums() {
    for n in [1usize, 31, 1000, 4097] {
        let d = checked();
        let x = random(n as u32, n);
        let (a, out) = (shared(&d, &x), shared(&d, &[0f32]));
        run(
            &d,
            REDUCE,
            "reduce",
            &[Arg::Buffer(&a), Arg::Buffer(&out), Arg::Bytes(bytes(&[n as u32]))],
            256,
            256,
        )
        .unwrap_or_else(|e| panic!("{e}"));
        close(&out.to_vec::<f32>().unwrap(), &[x.iter().sum()], 1e-4);
    }
}

const MATMUL: &str = r#"
#include <metal_stdlib>
using namespace metal;
constant constexpr uint TILE = 8;
kernel void matmul(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]],
                   constant uint3 &size [[buffer(3)]], uint2 g [[threadgroup_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float ta[TILE][TILE], tb[TILE][TILE];
  const uint m = size.x, n = size.y, k = size.z, row = g.y * TILE + t.y, col = g.x * TILE + t.x;
  float s = 0;
  for (uint k0 = 0; k0 < k; k0 += TILE) {
    ta[t.y][t.x] = row < m && k0 + t.x < k ? a[row * k + k0 + t.x] : 0;
    tb[t.y][t.x] = col < n && k0 + t.y < k ? b[(k0 + t.y) * n + col] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < TILE; i++) s += ta[t.y][i] * tb[i][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (row < m && col < n) c[row * n + col] = s;
}
"#;

fn plain_matmul(a: &[f32], b: &[f32], m: usize, n: usize, k: usize) -> Vec<f32> {
    let mut c = vec![0f32; m * n];
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = (0..k).map(|x| a[i * k + x] * b[x * n + j]).sum();
        }
    }
    c
}

#[test]
fn tiled_matmul() {
    let d = checked();
    let p = d.new_compute_pipeline(&library(&d, MATMUL).function("matmul").unwrap()).unwrap();
    assert_eq!(p.static_threadgroup_memory_length(), 512);
    for (m, n, k) in [(1, 1, 1), (7, 9, 13), (33, 17, 40)] {
        let (a, b) = (random(1, m * k), random(2, k * n));
        let (ba, bb, bc) = (shared(&d, &a), shared(&d, &b), shared(&d, &vec![0f32; m * n]));
        let size = Arg::Bytes(bytes(&[m as u32, n as u32, k as u32, 0]));
        let args = [Arg::Buffer(&ba), Arg::Buffer(&bb), Arg::Buffer(&bc), size];
        let grid = Size::new(n.next_multiple_of(8) as u64, m.next_multiple_of(8) as u64, 1);
        dispatch(&d, &p, &args, &[], grid, Size::new(8, 8, 1)).unwrap_or_else(|e| panic!("{e}"));
        close(&bc.to_vec::<f32>().unwrap(), &plain_matmul(&a, &b, m, n, k), 1e-4);
    }
}

fn go(d: &Device, l: &Library, name: &str, args: &[Arg<'_>], tg: &[usize], n: u64, group: u64) {
    let p = d.new_compute_pipeline(&l.function(name).unwrap()).unwrap();
    dispatch(d, &p, args, tg, Size::new(n, 1, 1), Size::new(group, 1, 1))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
}

fn number(n: usize) -> Arg<'static> {
    Arg::Bytes(bytes(&[n as u32]))
}

#[test]
fn prefix_scan() {
    let d = checked();
    let l = library(&d, include_str!("kernels/scan.metal"));
    for n in [1usize, 127, 128, 129, 1000, 5001] {
        let x = random(n as u32, n);
        let blocks = n.div_ceil(128);
        let (a, y) = (shared(&d, &x), shared(&d, &vec![0f32; n]));
        let sums = shared(&d, &vec![0f32; blocks]);
        let [ba, by, bs] = [&a, &y, &sums].map(Arg::Buffer);
        let all = (blocks * 128) as u64;
        go(&d, &l, "scan_blocks", &[ba, by, bs, number(n)], &[], all, 128);
        let args = [Arg::Buffer(&sums), number(blocks)];
        go(&d, &l, "scan_sums", &args, &[256, 256], 64, 64);
        let args = [Arg::Buffer(&y), Arg::Buffer(&sums), number(n)];
        go(&d, &l, "scan_add", &args, &[], all, 128);
        let mut sum = 0f64;
        let want: Vec<f32> = x
            .iter()
            .map(|v| {
                sum += f64::from(*v);
                sum as f32
            })
            .collect();
        close(&y.to_vec::<f32>().unwrap(), &want, 1e-4);
    }
}

#[test]
fn bitonic_sort() {
    let d = checked();
    let l = library(&d, include_str!("kernels/sort.metal"));
    for n in [1usize, 2, 31, 100, 255, 256] {
        let mut x: Vec<u32> =
            random(n as u32 + 9, n).iter().map(|v| (v.abs() * 1000.0) as u32).collect();
        let keys = shared(&d, &x);
        let threads = n.next_power_of_two().max(2) as u64;
        go(&d, &l, "bitonic", &[Arg::Buffer(&keys), number(n)], &[], threads, threads);
        x.sort_unstable();
        assert_eq!(keys.to_vec::<u32>().unwrap(), x);
    }
}

#[test]
fn histogram_with_atomics() {
    let d = checked();
    let l = library(&d, include_str!("kernels/histogram.metal"));
    for n in [1usize, 77, 3001] {
        let x: Vec<u8> = random(n as u32, n).iter().map(|v| (v.abs() * 255.0) as u8).collect();
        let (a, bins) = (shared(&d, &x), shared(&d, &[0u32; 256]));
        let args = [Arg::Buffer(&a), Arg::Buffer(&bins), number(n)];
        go(&d, &l, "histogram", &args, &[], 500, 96);
        let mut want = vec![0u32; 256];
        x.iter().for_each(|v| want[*v as usize] += 1);
        assert_eq!(bins.to_vec::<u32>().unwrap(), want);
    }
}

#[test]
fn gemm_with_simdgroup_matrices() {
    let d = checked();
    let l = library(&d, include_str!("kernels/gemm.metal"));
    for (m, n, k) in [(32, 32, 8), (1, 33, 7), (45, 70, 19)] {
        let (a, b) = (random(3, m * k), random(4, k * n));
        let size = bytes(&[m as u32, n as u32, k as u32, 0]);
        let grid = Size::new(n.div_ceil(32) as u64 * 128, m.div_ceil(32) as u64, 1);
        let run = |name: &str, a: &softmetal::Buffer, b: &softmetal::Buffer| {
            let c = shared(&d, &vec![0f32; m * n]);
            let p = d.new_compute_pipeline(&l.function(name).unwrap()).unwrap();
            let args = [Arg::Buffer(a), Arg::Buffer(b), Arg::Buffer(&c), Arg::Bytes(size.clone())];
            dispatch(&d, &p, &args, &[], grid, Size::new(128, 1, 1))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            c.to_vec::<f32>().unwrap()
        };
        let got = run("gemm_float", &shared(&d, &a), &shared(&d, &b));
        close(&got, &plain_matmul(&a, &b, m, n, k), 1e-5);
        let half = |x: &[f32]| x.iter().map(|v| f16::from_f32(*v)).collect::<Vec<_>>();
        let wide = |x: &[f16]| x.iter().map(|v| v.to_f32()).collect::<Vec<_>>();
        let (ha, hb) = (half(&a), half(&b));
        let got = run("gemm_half", &shared(&d, &ha), &shared(&d, &hb));
        close(&got, &plain_matmul(&wide(&ha), &wide(&hb), m, n, k), 1e-5);
        let brain = |x: &[f32]| x.iter().map(|v| bf16::from_f32(*v)).collect::<Vec<_>>();
        let wide = |x: &[bf16]| x.iter().map(|v| v.to_f32()).collect::<Vec<_>>();
        let (ba, bb) = (brain(&a), brain(&b));
        let got = run("gemm_bfloat", &shared(&d, &ba), &shared(&d, &bb));
        close(&got, &plain_matmul(&wide(&ba), &wide(&bb), m, n, k), 1e-5);
    }
}

#[test]
fn attention_with_an_online_softmax() {
    let d = checked();
    let l = library(&d, include_str!("kernels/attention.metal"));
    for (queries, keys, heads, kv_heads, width, causal) in [
        (1, 1, 1, 1, 32, false),
        (5, 37, 4, 2, 64, true),
        (7, 7, 2, 1, 96, true),
        (3, 50, 2, 2, 40, false),
    ] {
        let halves =
            |seed, n| random(seed, n).iter().map(|v| f16::from_f32(*v * 2.0)).collect::<Vec<_>>();
        let q = halves(1, heads * queries * width);
        let (k, v) = (halves(2, kv_heads * keys * width), halves(3, kv_heads * keys * width));
        let mut c = FunctionConstants::default();
        c.set(0, width as u32).set(1, causal);
        let p =
            d.new_compute_pipeline(&l.function_with_constants("attention", &c).unwrap()).unwrap();
        let out = shared(&d, &vec![0f32; q.len()]);
        let sizes = bytes(&[queries as u32, keys as u32, heads as u32, kv_heads as u32]);
        let (bq, bk, bv) = (shared(&d, &q), shared(&d, &k), shared(&d, &v));
        let args = [
            Arg::Buffer(&bq),
            Arg::Buffer(&bk),
            Arg::Buffer(&bv),
            Arg::Buffer(&out),
            Arg::Bytes(sizes),
        ];
        let grid = Size::new(queries.div_ceil(2) as u64 * 64, heads as u64, 1);
        dispatch(&d, &p, &args, &[], grid, Size::new(64, 1, 1)).unwrap_or_else(|e| panic!("{e}"));
        let mut want = Vec::new();
        for h in 0..heads {
            let kv = h / (heads / kv_heads);
            for i in 0..queries {
                let last = if causal { i + keys - queries + 1 } else { keys };
                let at = |x: &[f16], row: usize, e: usize| f64::from(x[row * width + e].to_f32());
                let scores: Vec<f64> = (0..last)
                    .map(|t| {
                        let dot: f64 = (0..width)
                            .map(|e| at(&q, h * queries + i, e) * at(&k, kv * keys + t, e))
                            .sum();
                        (dot / (width as f64).sqrt()).exp()
                    })
                    .collect();
                let sum: f64 = scores.iter().sum();
                want.extend((0..width).map(|e| {
                    (0..last).map(|t| scores[t] * at(&v, kv * keys + t, e)).sum::<f64>() / sum
                }));
            }
        }
        let want: Vec<f32> = want.into_iter().map(|v| v as f32).collect();
        close(&out.to_vec::<f32>().unwrap(), &want, 1e-4);
    }
}

#[test]
fn q4_k_matvec() {
    let d = checked();
    let l = library(&d, include_str!("kernels/q4_k.metal"));
    for (rows, columns) in [(1usize, 256usize), (5, 512), (9, 768)] {
        let (mut blocks, mut w) = (Vec::new(), Vec::new());
        let noise: Vec<u32> = random(7, rows * columns / 256 * 148)
            .iter()
            .map(|v| (v.abs() * 255.0) as u32)
            .collect();
        for n in noise.chunks(148) {
            let (scale, low): (Vec<u32>, Vec<u32>) = (
                n[..8].iter().map(|v| v & 63).collect(),
                n[8..16].iter().map(|v| v & 63).collect(),
            );
            let (s, m) =
                (f16::from_f32(0.01 + n[16] as f32 * 1e-4), f16::from_f32(n[17] as f32 * 1e-4));
            blocks.extend(s.to_le_bytes());
            blocks.extend(m.to_le_bytes());
            for j in 0..4 {
                blocks.push((scale[j] | (scale[j + 4] >> 4) << 6) as u8);
            }
            for j in 0..4 {
                blocks.push((low[j] | (low[j + 4] >> 4) << 6) as u8);
            }
            for j in 4..8 {
                blocks.push((scale[j] & 15 | (low[j] & 15) << 4) as u8);
            }
            blocks.extend(n[20..].iter().map(|v| *v as u8));
            for e in 0..256 {
                let j = e / 32;
                let byte = n[20 + j / 2 * 32 + e % 32];
                let q = if j % 2 == 1 { byte >> 4 } else { byte & 15 };
                w.push(s.to_f32() * (scale[j] * q) as f32 - m.to_f32() * low[j] as f32);
            }
        }
        let x = random(8, columns);
        let (bw, bx, y) = (shared(&d, &blocks), shared(&d, &x), shared(&d, &vec![0f32; rows]));
        let size = Arg::Bytes(bytes(&[rows as u32, columns as u32]));
        let args = [Arg::Buffer(&bw), Arg::Buffer(&bx), Arg::Buffer(&y), size];
        go(&d, &l, "matvec", &args, &[], rows.div_ceil(2) as u64 * 64, 64);
        close(&y.to_vec::<f32>().unwrap(), &plain_matmul(&w, &x, rows, 1, columns), 1e-4);
    }
}
