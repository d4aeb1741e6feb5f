//! Well-known kernels against plain loops, over odd sizes, in checked mode.
mod common;
use common::*;
use softmetal::Size;

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
