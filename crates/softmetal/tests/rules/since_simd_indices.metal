// Indices and counts of SIMD-groups are there since Metal 2.0.
// accept --std=2.0
kernel void k(device int *out [[buffer(0)]], uint lane [[thread_index_in_simdgroup]]) { out[lane] = 1; }
// refuse --std=1.2: thread_index_in_simdgroup
kernel void k(device int *out [[buffer(0)]], uint lane [[thread_index_in_simdgroup]]) { // HERE
  out[lane] = 1;
}
