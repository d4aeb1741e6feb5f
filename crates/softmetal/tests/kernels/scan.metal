// An inclusive prefix sum of any length: blocks, their sums, and the sums added back.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint BLOCK = 128;

kernel void scan_blocks(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
                        device float *sums [[buffer(2)]], constant uint &n [[buffer(3)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                        uint sg [[simdgroup_index_in_threadgroup]]) {
  threadgroup float part[BLOCK / 32];
  float v = simd_prefix_inclusive_sum(i < n ? x[i] : 0.0f);
  if (lane == 31) part[sg] = v;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 0; k < sg; k++) v += part[k];
  if (i < n) y[i] = v;
  if (t == BLOCK - 1) sums[g] = v;
}

// Hillis and Steele, in one threadgroup: the sums of all blocks before each.
kernel void scan_sums(device float *sums [[buffer(0)]], constant uint &blocks [[buffer(1)]],
                      threadgroup float *a [[threadgroup(0)]], threadgroup float *b [[threadgroup(1)]],
                      uint t [[thread_index_in_threadgroup]]) {
  a[t] = t < blocks ? sums[t] : 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup float *from = a, *to = b;
  for (uint d = 1; d < blocks; d *= 2) {
    to[t] = from[t] + (t >= d ? from[t - d] : 0.0f);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup float *swap = from;
    from = to;
    to = swap;
  }
  if (t < blocks) sums[t] = from[t];
}

kernel void scan_add(device float *y [[buffer(0)]], device const float *sums [[buffer(1)]],
                     constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i < n && i >= BLOCK) y[i] += sums[i / BLOCK - 1];
}
