// A pointer to one address space is not a pointer to another.
// accept
kernel void k(device float *out [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) {
  threadgroup float *p = t;
  out[0] = *p;
}
// refuse: threadgroup
kernel void k(device float *out [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) {
  device float *p = t; // HERE
  out[0] = *p;
}
// refuse: device
kernel void k(device float *out [[buffer(0)]], constant float *c [[buffer(1)]]) {
  device const float *p = c; // HERE
  out[0] = *p;
}
