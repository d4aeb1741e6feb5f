// A `[[buffer(n)]]` is in `device` or `constant` memory.
// accept
kernel void k(device int *out [[buffer(3)]]) { out[0] = 1; }
// refuse: 'shared'
kernel void k(device int *out [[buffer(0)]], threadgroup int *shared [[buffer(1)]]) { // HERE
  out[0] = shared[0];
}
