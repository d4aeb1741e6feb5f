// `thread_position_in_threadgroup`, `threads_per_threadgroup` and `dispatch_threads_per_threadgroup` have one type.
// accept
kernel void k(device int *out [[buffer(0)]], uint3 g [[threadgroup_position_in_grid]],
              ushort3 p [[thread_position_in_threadgroup]], ushort3 n [[threads_per_threadgroup]]) {
  out[g.x * n.x + p.x] = 1;
}
// refuse: 'n'
kernel void k(device int *out [[buffer(0)]], ushort3 p [[thread_position_in_threadgroup]],
              uint3 n [[threads_per_threadgroup]]) { // HERE
  out[p.y * n.x + p.x] = 1;
}
