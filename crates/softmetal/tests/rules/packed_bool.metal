// `packed_bool2` and its kin are reserved names, not types.
// accept
kernel void k(device packed_char2 *x [[buffer(0)]]) { x[0] = packed_char2(1, 2); }
// refuse: packed_bool2
kernel void k(device int *out [[buffer(0)]]) {
  packed_bool2 x(true, false); // HERE
  out[0] = 1;
}
