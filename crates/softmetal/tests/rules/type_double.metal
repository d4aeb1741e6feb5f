// There is no `double`.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1.5 * 2; }
// refuse: 'double'
kernel void k(device float *out [[buffer(0)]]) {
  double x = 1.5; // HERE
  out[0] = x;
}
