// `float` and `half` do not turn into `bfloat` by themselves.
// accept
kernel void k(device bfloat *out [[buffer(0)]], device float *f [[buffer(1)]]) { out[0] = bfloat(f[0]); f[1] = out[0]; }
// refuse: bfloat
kernel void k(device bfloat *out [[buffer(0)]], device float *f [[buffer(1)]]) {
  out[0] = f[0]; // HERE
}
