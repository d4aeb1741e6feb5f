// An argument passed by value has an attribute that MSL has; clang ignores others, and nothing is left that says what it is.
// accept
kernel void k(device int *out [[buffer(0), access(write)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_world]]) { // HERE
  out[i] = 1;
}
