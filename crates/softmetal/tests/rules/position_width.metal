// All position and size arguments of a kernel are scalars, or all are vectors with the same number of elements.
// accept
kernel void flat(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                 uint n [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  out[i] = n + lane;
}
kernel void deep(device float *out [[buffer(0)]], uint3 g [[threadgroup_position_in_grid]],
                 ushort3 t [[thread_position_in_threadgroup]], ushort3 n [[threads_per_threadgroup]],
                 ushort k [[simdgroup_index_in_threadgroup]]) {
  out[g.x * n.x + t.x] = k;
}
// refuse: 'size'
kernel void k(device float *out [[buffer(0)]],
              uint i [[thread_position_in_grid]],
              uint3 size [[threads_per_threadgroup]]) { // HERE
  out[i] = size.x;
}
// refuse: 'groups'
kernel void k(device float *out [[buffer(0)]], uint2 g [[threadgroup_position_in_grid]],
              uint3 groups [[threadgroups_per_grid]]) { // HERE
  out[g.x] = groups.x;
}
