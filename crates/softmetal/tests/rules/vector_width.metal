// Vectors have two, three or four elements.
// accept
kernel void k(device float *out [[buffer(0)]]) { vec<float, 3> v(1); out[0] = v.z; }
// refuse: float8
kernel void k(device float *out [[buffer(0)]]) {
  float8 v = 1; // HERE
  out[0] = 1;
}
