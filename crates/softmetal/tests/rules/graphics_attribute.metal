// Attributes of vertex and fragment functions do not stand on arguments of kernels.
// accept
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], uint i [[vertex_id]]) { // HERE
  out[i] = 1;
}
