// Indices of buffers go from 0 to 30.
// accept
kernel void k(device int *out [[buffer(30)]]) { out[0] = 1; }
// refuse: 'out'
kernel void k(device int *out [[buffer(31)]]) { // HERE
  out[0] = 1;
}
