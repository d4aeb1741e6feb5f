// Causal attention with an online softmax: a SIMD-group for each query and head, keys shared by
// groups of heads.
#include <metal_stdlib>
using namespace metal;

constant uint D [[function_constant(0)]];
constant bool CAUSAL [[function_constant(1)]];

struct Sizes {
  uint queries, keys, heads, kv_heads;
};

kernel void attention(device const half *q [[buffer(0)]], device const half *k [[buffer(1)]],
                      device const half *v [[buffer(2)]], device float *out [[buffer(3)]],
                      constant Sizes &s [[buffer(4)]], uint2 g [[threadgroup_position_in_grid]],
                      uint sg [[simdgroup_index_in_threadgroup]], uint sgs [[simdgroups_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
  const uint head = g.y, query = g.x * sgs + sg;
  if (query >= s.queries) return; // the whole SIMD-group
  const uint kv = head / (s.heads / s.kv_heads);
  device const half *mine = q + (head * s.queries + query) * D;
  float own[8], acc[8];
  for (uint i = 0, e = lane; e < D; e += 32, i++) {
    own[i] = float(mine[e]) * rsqrt(float(D));
    acc[i] = 0;
  }
  float top = -INFINITY, sum = 0;
  const uint last = CAUSAL ? min(s.keys, query + s.keys - s.queries + 1) : s.keys;
  for (uint t = 0; t < last; t++) {
    device const half *key = k + (kv * s.keys + t) * D;
    float dot = 0;
    for (uint i = 0, e = lane; e < D; e += 32, i++) dot += own[i] * float(key[e]);
    dot = simd_sum(dot);
    const float higher = max(top, dot), old = exp(top - higher), now = exp(dot - higher);
    device const half *value = v + (kv * s.keys + t) * D;
    for (uint i = 0, e = lane; e < D; e += 32, i++) acc[i] = acc[i] * old + now * float(value[e]);
    sum = sum * old + now;
    top = higher;
  }
  for (uint i = 0, e = lane; e < D; e += 32, i++) out[(head * s.queries + query) * D + e] = acc[i] / sum;
}
