// The kernels whose speed is measured.
#include <metal_stdlib>
using namespace metal;

kernel void axpy(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float v = x[i];
  for (int k = 0; k < 16; k++) v = v * 1.0001f + 0.5f;
  y[i] += v;
}

kernel void add(device float *y [[buffer(0)]], device const float *a [[buffer(1)]], device const float *b [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
  y[i] = a[i] + b[i];
}

kernel void transpose(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], constant uint &n [[buffer(2)]],
                      uint2 at [[thread_position_in_grid]]) {
  y[at.y * n + at.x] = x[at.x * n + at.y];
}

kernel void barriers(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (int k = 0; k < 100; k++) threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = 1;
}

// One thread for each element of the product.
kernel void naive(device float *c [[buffer(0)]], device const float *a [[buffer(1)]], device const float *b [[buffer(2)]],
                  constant uint &n [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
  float s = 0;
  for (uint k = 0; k < n; k++) s += a[at.y * n + k] * b[k * n + at.x];
  c[at.y * n + at.x] = s;
}

// Tiles of 16 x 16 in threadgroup memory.
kernel void tiled(device float *c [[buffer(0)]], device const float *a [[buffer(1)]], device const float *b [[buffer(2)]],
                  constant uint &n [[buffer(3)]], uint2 g [[threadgroup_position_in_grid]],
                  uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float ta[16][16], tb[16][16];
  uint row = g.y * 16 + t.y, column = g.x * 16 + t.x;
  float s = 0;
  for (uint k = 0; k < n; k += 16) {
    ta[t.y][t.x] = a[row * n + k + t.x];
    tb[t.y][t.x] = b[(k + t.y) * n + column];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 16; j++) s += ta[t.y][j] * tb[j][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  c[row * n + column] = s;
}

// A SIMD-group for each row.
kernel void matvec(device float *y [[buffer(0)]], device const float4 *a [[buffer(1)]], device const float4 *x [[buffer(2)]],
                   constant uint &n [[buffer(3)]], uint row [[threadgroup_position_in_grid]],
                   uint lane [[thread_index_in_simdgroup]]) {
  float s = 0;
  for (uint k = lane; k < n / 4; k += 32) s += dot(a[row * (n / 4) + k], x[k]);
  s = simd_sum(s);
  if (lane == 0) y[row] = s;
}

kernel void gemm(device float *c [[buffer(0)]], device const float *a [[buffer(1)]], device const float *b [[buffer(2)]],
                 constant uint &n [[buffer(3)]], uint2 g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 acc[4][4];
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  for (uint k = 0; k < n; k += 8) {
    simdgroup_float8x8 ma[4], mb[4];
    for (int i = 0; i < 4; i++) simdgroup_load(ma[i], a + (g.y * 32 + i * 8) * n + k, n);
    for (int j = 0; j < 4; j++) simdgroup_load(mb[j], b + k * n + g.x * 32 + j * 8, n);
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) simdgroup_multiply_accumulate(acc[i][j], ma[i], mb[j], acc[i][j]);
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) simdgroup_store(acc[i][j], c + (g.y * 32 + i * 8) * n + g.x * 32 + j * 8, n);
}
