// `fma` takes three values of one type.
// accept
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]]) { out[0] = fma(float(h[0]), 2.0f, out[0]); }
// refuse: 'fma' is ambiguous
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]]) {
  out[0] = fma(h[0], 2.0f, out[0]); // HERE
}
