// C = A B with simdgroup matrices: a threadgroup of four SIMD-groups makes 32x32 of C, with edges
// of any size through threadgroup memory.
#include <metal_stdlib>
using namespace metal;

template <typename T>
kernel void gemm(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device float *c [[buffer(2)]],
                 constant uint3 &size [[buffer(3)]], uint2 g [[threadgroup_position_in_grid]],
                 uint t [[thread_index_in_threadgroup]], uint sg [[simdgroup_index_in_threadgroup]]) {
  threadgroup T ta[32 * 8], tb[8 * 32];
  threadgroup float tc[32 * 32];
  const uint m = size.x, n = size.y, k = size.z;
  simdgroup_matrix<float, 8, 8> acc[4];
  for (int j = 0; j < 4; j++) acc[j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k0 = 0; k0 < k; k0 += 8) {
    for (uint e = t; e < 256; e += 128) {
      uint row = g.y * 32 + e / 8, col = k0 + e % 8;
      ta[e] = row < m && col < k ? a[row * k + col] : T(0);
      row = k0 + e / 32, col = g.x * 32 + e % 32;
      tb[e] = row < k && col < n ? b[row * n + col] : T(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_matrix<T, 8, 8> left, right;
    simdgroup_load(left, ta + sg * 64, 8);
    for (int j = 0; j < 4; j++) {
      simdgroup_load(right, tb + j * 8, 32);
      simdgroup_multiply_accumulate(acc[j], left, right, acc[j]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (int j = 0; j < 4; j++) simdgroup_store(acc[j], tc + sg * 256 + j * 8, 32);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint e = t; e < 1024; e += 128) {
    uint row = g.y * 32 + e / 32, col = g.x * 32 + e % 32;
    if (row < m && col < n) c[row * n + col] = tc[e];
  }
}

#define INSTANTIATE(NAME, T) template [[host_name(NAME)]] [[kernel]] decltype(gemm<T>) gemm<T>;
INSTANTIATE("gemm_float", float)
INSTANTIATE("gemm_half", half)
INSTANTIATE("gemm_bfloat", bfloat)
