// A position, size or index is passed by value, not through a pointer or reference.
// accept
kernel void k(device int *out [[buffer(0)]], const uint i [[thread_position_in_grid]]) { out[i] = 1; }
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], constant uint &i [[thread_position_in_grid]]) { // HERE
  out[i] = 1;
}
