// Matrices have two to four columns and rows.
// accept
kernel void k(device float *out [[buffer(0)]]) { float4x2 m(1); out[0] = m[0][0]; }
// refuse: float8x8
kernel void k(device float *out [[buffer(0)]]) {
  float8x8 m; // HERE
  out[0] = 1;
}
