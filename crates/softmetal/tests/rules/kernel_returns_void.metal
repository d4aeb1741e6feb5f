// A kernel returns nothing.
// accept
kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'k'
kernel int k(device int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
  return 1;
}
