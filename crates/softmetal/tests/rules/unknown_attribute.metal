// An argument's attribute is one that MSL has.
// accept
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_world]]) { // HERE
  out[i] = 1;
}
