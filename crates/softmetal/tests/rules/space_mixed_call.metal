// An argument is in the address space that the function asks for.
// accept
float first(device float *p) { return *p; }
float first(threadgroup float *p) { return *p; }
kernel void k(device float *out [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) { out[0] = first(out) + first(t); }
// refuse: 'first'
float first(device float *p) { return *p; }
kernel void k(device float *out [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) {
  out[0] = first(t); // HERE
}
