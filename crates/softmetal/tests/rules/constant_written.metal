// What is in `constant` memory is only read.
// accept
kernel void k(device float *out [[buffer(0)]], constant float *c [[buffer(1)]]) { out[0] = c[0]; }
// refuse: const
kernel void k(device float *out [[buffer(0)]], constant float *c [[buffer(1)]]) {
  c[0] = 1; // HERE
}
