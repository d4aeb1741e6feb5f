// `nextafter` is there since Metal 3.1.
// accept --std=3.1
kernel void k(device float *out [[buffer(0)]]) { out[0] = nextafter(out[0], 1.0f); }
// refuse --std=3.0: nextafter
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = nextafter(out[0], 1.0f); // HERE
}
