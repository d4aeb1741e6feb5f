// `pow` takes two values of one type.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = pow(out[0], 2.0f); }
// refuse: 'pow' is ambiguous
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = pow(out[0], 2); // HERE
}
