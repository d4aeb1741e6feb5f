// There is no `long double`.
// accept
kernel void k(device float *out [[buffer(0)]]) { long x = 1; out[0] = x; }
// refuse: 'long double'
kernel void k(device float *out [[buffer(0)]]) {
  long double x = 1.5; // HERE
  out[0] = x;
}
