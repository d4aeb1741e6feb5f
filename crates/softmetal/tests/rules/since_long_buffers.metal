// Buffers of `long` and `ulong` are there since Metal 2.3.
// accept --std=2.3
kernel void k(device ulong *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=2.2: 'out'
kernel void k(device ulong *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
