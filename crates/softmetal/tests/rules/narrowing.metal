// A value in braces is not narrowed: a `float` does not become an `int`.
// accept
kernel void k(device int *out [[buffer(0)]]) { int a[2] = {1, int(2.5f)}; out[0] = a[0] + a[1]; }
// refuse: narrowed
kernel void k(device int *out [[buffer(0)]]) {
  int a[2] = {1, 2.5f}; // HERE
  out[0] = a[0];
}
