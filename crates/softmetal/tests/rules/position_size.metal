// A position, size or index argument has elements of 16 or 32 bits.
// accept
kernel void k(device int *out [[buffer(0)]], uint16_t i [[thread_index_in_threadgroup]]) { out[i] = i; }
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], ulong i [[thread_position_in_grid]]) { // HERE
  out[i] = 1;
}
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], size_t i [[thread_position_in_grid]]) { // HERE
  out[i] = 1;
}
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], uchar i [[thread_index_in_simdgroup]]) { // HERE
  out[i] = 1;
}
