// `coherent(device)` is there since Metal 3.2.
// accept --std=3.2
kernel void k(coherent(device) device int *out [[buffer(0)]], volatile coherent device uint *in [[buffer(1)]]) { out[0] = in[0]; }
// refuse --std=3.1: coherent
kernel void k(coherent(device) device int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
