// Functions of mathematics take `half` or `float`: an integer fits both alike.
// accept
kernel void k(device float *out [[buffer(0)]], device int *i [[buffer(1)]]) { out[0] = sqrt(float(i[0])) + exp(out[1]); }
// refuse: 'sqrt' is ambiguous
kernel void k(device float *out [[buffer(0)]], device int *i [[buffer(1)]]) {
  out[0] = sqrt(i[0]); // HERE
}
