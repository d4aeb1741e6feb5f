// There are no exceptions.
// accept
kernel void k(device int *out [[buffer(0)]]) { if (out[0] < 0) return; out[0] = 1; }
// refuse: exceptions
kernel void k(device int *out [[buffer(0)]]) {
  if (out[0] < 0) throw 1; // HERE
}
// refuse: exceptions
kernel void k(device int *out [[buffer(0)]]) {
  try { // HERE
    out[0] = 1;
  } catch (...) {
  }
}
