// What is behind a pointer to `const` is only read.
// accept
kernel void k(device float *out [[buffer(0)]], const device float *x [[buffer(1)]]) { out[0] = x[0]; }
// refuse: const
kernel void k(device float *out [[buffer(0)]], const device float *x [[buffer(1)]]) {
  x[0] = 1; // HERE
}
