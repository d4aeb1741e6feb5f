// A pointer or reference declared in a function has an address space.
// accept
kernel void k(device float *out [[buffer(0)]]) {
  device float *p = out + 1;
  thread auto &q = p;
  *q = 1;
}
// refuse: address space
kernel void k(device float *out [[buffer(0)]]) {
  float *p = out + 1; // HERE
  *p = 1;
}
// refuse: address space
kernel void k(device float *out [[buffer(0)]]) {
  float x[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; i++) {
    const float &y = x[i]; // HERE
    out[i] = y;
  }
}
