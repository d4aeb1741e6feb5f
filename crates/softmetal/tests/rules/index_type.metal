// With a `uint` position in the threadgroup, `thread_index_in_threadgroup` is `uint` too.
// accept
kernel void k(device int *out [[buffer(0)]], ushort3 p [[thread_position_in_threadgroup]],
              ushort i [[thread_index_in_threadgroup]]) {
  out[i] = p.x;
}
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], uint3 p [[thread_position_in_threadgroup]],
              ushort i [[thread_index_in_threadgroup]]) { // HERE
  out[i] = p.x;
}
