// A position or size argument has one, two or three elements.
// accept
kernel void k(device int *out [[buffer(0)]], vec<uint, 3> p [[thread_position_in_grid]]) { out[p.x] = p.z; }
// refuse: 'p'
kernel void k(device int *out [[buffer(0)]], uint4 p [[thread_position_in_grid]]) { // HERE
  out[p.x] = p.z;
}
