// A scalar is not shifted by a vector.
// accept
kernel void k(device uint4 *out [[buffer(0)]]) { out[0] = out[1] << uint4(1, 2, 3, 4); out[1] = out[0] >> 2; }
// refuse: uint4
kernel void k(device uint4 *out [[buffer(0)]]) {
  out[0] = 1u << out[1]; // HERE
}
