// `clamp` takes three values of one type: `clamp(x, 0, 1)` of a float is ambiguous.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = clamp(out[0], 0.0f, 1.0f); }
// refuse: 'clamp' is ambiguous
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = clamp(out[0], 0, 1); // HERE
}
