// A position, size or index argument is unsigned.
// accept
kernel void k(device int *out [[buffer(0)]], ushort2 p [[thread_position_in_grid]]) { out[p.x] = p.y; }
// refuse: 'p'
kernel void k(device int *out [[buffer(0)]], int3 p [[thread_position_in_grid]]) { // HERE
  out[p.x] = p.y;
}
// refuse: 'lane'
kernel void k(device int *out [[buffer(0)]], int lane [[thread_index_in_simdgroup]]) { // HERE
  out[lane] = lane;
}
