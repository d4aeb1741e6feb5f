// `long` and `ulong` are there since Metal 2.2.
// accept --std=2.2
kernel void k(device int *out [[buffer(0)]]) { long x = 1; out[0] = int(x >> 1); }
// refuse --std=2.1: 'long'
kernel void k(device int *out [[buffer(0)]]) {
  long x = 1; // HERE
  out[0] = int(x >> 1);
}
