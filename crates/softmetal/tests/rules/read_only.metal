// What is in `constant` memory, or behind a pointer to `const`, is only read.
// accept
kernel void k(device float *out [[buffer(0)]], constant float *c [[buffer(1)]]) { out[0] = c[0]; }
// refuse: not assignable
kernel void k(device float *out [[buffer(0)]], constant float *c [[buffer(1)]]) {
  c[0] = 1; // HERE
}
// accept
kernel void k(device float *out [[buffer(0)]], const device float *x [[buffer(1)]]) { out[0] = x[0]; }
// refuse: not assignable
kernel void k(device float *out [[buffer(0)]], const device float *x [[buffer(1)]]) {
  x[0] = 1; // HERE
}
