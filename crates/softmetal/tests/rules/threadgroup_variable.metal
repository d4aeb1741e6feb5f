// A variable in `threadgroup` memory is declared in a kernel.
// accept
float sum(threadgroup float *t) { return t[0] + t[1]; }
kernel void k(device float *out [[buffer(0)]]) {
  threadgroup float t[2];
  t[0] = t[1] = 1;
  out[0] = sum(t);
}
// refuse: 't'
float sum() {
  threadgroup float t[2]; // HERE
  return t[0];
}
kernel void k(device float *out [[buffer(0)]]) { out[0] = sum(); }
