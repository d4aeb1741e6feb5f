// There is no `new`.
// accept
kernel void k(device int *out [[buffer(0)]]) { int fresh[4] = {}; out[0] = fresh[1]; }
// refuse: new
kernel void k(device int *out [[buffer(0)]]) {
  thread int *p = new int[4]; // HERE
  out[0] = p[0];
}
