// The length of an array is a constant expression.
// accept
template <int N> float sum(const device float *x) { float t[N]; for (int i = 0; i < N; i++) t[i] = x[i]; return t[N - 1]; }
kernel void k(device float *out [[buffer(0)]]) { out[0] = sum<4>(out); }
// refuse: array
kernel void k(device float *out [[buffer(0)]], constant int &n [[buffer(1)]]) {
  float t[n]; // HERE
  t[0] = 1;
  out[0] = t[0];
}
