// An index within a threadgroup, SIMD-group or quad-group is a scalar.
// accept
kernel void k(device int *out [[buffer(0)]], uint3 p [[thread_position_in_threadgroup]],
              uint i [[thread_index_in_threadgroup]]) {
  out[i] = p.x;
}
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]],
              uint3 i [[thread_index_in_threadgroup]]) { // HERE
  out[i.x] = 1;
}
// refuse: 'g'
kernel void k(device int *out [[buffer(0)]], uint2 g [[simdgroup_index_in_threadgroup]]) { // HERE
  out[g.x] = 1;
}
