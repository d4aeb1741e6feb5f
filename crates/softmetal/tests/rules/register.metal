// There is no `register`.
// accept
kernel void k(device int *out [[buffer(0)]]) { int x = 1; out[0] = x; }
// refuse: register
kernel void k(device int *out [[buffer(0)]]) {
  register int x = 1; // HERE
  out[0] = x;
}
