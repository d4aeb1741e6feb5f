// Indices and counts of SIMD-groups and quad-groups have one type, `ushort` or `uint`.
// accept
kernel void k(device int *out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]],
              ushort g [[simdgroup_index_in_threadgroup]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = lane + g;
}
// refuse: 'g'
kernel void k(device int *out [[buffer(0)]], ushort lane [[thread_index_in_simdgroup]],
              uint g [[simdgroup_index_in_threadgroup]]) { // HERE
  out[g] = lane;
}
