// The index of a buffer or of threadgroup memory is known when the kernel is compiled.
// accept
kernel void k(device int *out [[buffer(1 + 2 * 3)]]) { out[0] = 1; }
// refuse: 'out'
kernel void k(device int *out [[buffer(nowhere)]]) { // HERE
  out[0] = 1;
}
// refuse: 'out'
kernel void k(device int *out [[buffer(-1)]]) { // HERE
  out[0] = 1;
}
