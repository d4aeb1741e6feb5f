// There is no `delete`.
// accept
int half_of(float) = delete;
int half_of(int x) { return x / 2; }
kernel void k(device int *out [[buffer(0)]]) { out[0] = half_of(4); }
// refuse: delete
kernel void k(device int *out [[buffer(0)]]) {
  delete out; // HERE
}
