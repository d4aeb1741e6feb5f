// Matrices are of `float` or `half`.
// accept
kernel void k(device float *out [[buffer(0)]]) { half2x2 m(1); out[0] = m[0][0]; }
// refuse: int2x2
kernel void k(device float *out [[buffer(0)]]) {
  int2x2 m(1); // HERE
  out[0] = 1;
}
// refuse: a matrix is of
struct Own { ushort bits; };
typedef matrix<Own, 4, 4> Own4x4;
kernel void k(device float *out [[buffer(0)]]) {
  Own4x4 m; // HERE
  out[0] = 1;
}
