// `thread_position_in_grid` and `threads_per_grid` have one type.
// accept
kernel void k(device int *out [[buffer(0)]], ushort2 p [[thread_position_in_grid]],
              ushort2 n [[threads_per_grid]]) {
  out[p.y * n.x + p.x] = 1;
}
// refuse: 'n'
kernel void k(device int *out [[buffer(0)]], uint2 p [[thread_position_in_grid]],
              ushort2 n [[threads_per_grid]]) { // HERE
  out[p.y * n.x + p.x] = 1;
}
