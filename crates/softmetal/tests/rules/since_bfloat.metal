// `bfloat` is there since Metal 3.1.
// accept --std=3.1
kernel void k(device bfloat *out [[buffer(0)]]) { out[0] = bfloat(1.0f); }
// refuse --std=3.0: bfloat
kernel void k(device float *out [[buffer(0)]]) {
  bfloat x = bfloat(1.0f); // HERE
  out[0] = 1;
}
// refuse --std=3.0: bfloat4
kernel void k(device bfloat4 *x [[buffer(0)]]) { x[0] = x[1]; } // HERE
