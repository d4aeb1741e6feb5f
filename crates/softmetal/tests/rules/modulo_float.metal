// `%` is for integers; floating point has `fmod`.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = fmod(out[0], 2.0f) + int(out[1]) % 2; }
// refuse: operands
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = out[0] % 2.0f; // HERE
}
