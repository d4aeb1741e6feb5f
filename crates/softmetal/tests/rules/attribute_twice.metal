// A kernel has at most one argument with a given position, size or index attribute.
// accept
kernel void k(device int *out [[buffer(0)]], uint a [[thread_position_in_grid]],
              uint b [[thread_position_in_threadgroup]]) {
  out[a] = b;
}
// refuse: 'b'
kernel void k(device int *out [[buffer(0)]], uint a [[thread_position_in_grid]],
              uint b [[thread_position_in_grid]]) { // HERE
  out[a] = b;
}
