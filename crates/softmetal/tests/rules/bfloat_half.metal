// `bfloat` and `half` are not mixed in an operation.
// accept
kernel void k(device float *out [[buffer(0)]], device bfloat *b [[buffer(1)]], device half *h [[buffer(2)]]) { out[0] = float(b[0]) + float(h[0]); }
// refuse: operand
kernel void k(device float *out [[buffer(0)]], device bfloat *b [[buffer(1)]], device half *h [[buffer(2)]]) {
  out[0] = b[0] + h[0]; // HERE
}
