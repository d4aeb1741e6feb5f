// A matrix is made from one scalar, from its columns or from all its elements.
// accept
kernel void k(device float2 *out [[buffer(0)]]) { float2x2 m(out[0], out[1]); float2x2 n(1, 2, 3, 4); out[0] = (m * n)[0]; }
// refuse: float2x2
kernel void k(device float2 *out [[buffer(0)]]) {
  float2x2 m(1, 2, 3); // HERE
  out[0] = m[0];
}
