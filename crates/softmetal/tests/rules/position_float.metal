// A position, size or index argument is an integer.
// accept
kernel void k(device float *out [[buffer(0)]], uint2 p [[thread_position_in_grid]]) { out[p.x] = float(p.y); }
// refuse: 'p'
kernel void k(device float *out [[buffer(0)]], float2 p [[thread_position_in_grid]]) { // HERE
  out[0] = p.y;
}
