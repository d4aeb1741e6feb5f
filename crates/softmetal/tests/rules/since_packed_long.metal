// `packed_long2` and its kin are there since Metal 2.3.
// accept --std=2.3
kernel void k(device int *out [[buffer(0)]]) { packed_long2 x(1, 2); out[0] = int(x[1]); }
// refuse --std=2.2: packed_long2
kernel void k(device int *out [[buffer(0)]]) {
  packed_long2 x(1, 2); // HERE
  out[0] = 1;
}
