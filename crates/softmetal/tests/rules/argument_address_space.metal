// A pointer or reference that a kernel takes has an address space.
// accept
kernel void k(device int *out [[buffer(0)]], constant int *n [[buffer(1)]]) { out[0] = n[0]; }
// refuse: 'out'
kernel void k(int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
