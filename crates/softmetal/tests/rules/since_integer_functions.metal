// `max3`, `min3`, `median3`, `mul24`, `mad24` and `reverse_bits` are there since Metal 2.1.
// accept --std=2.1
kernel void k(device uint *out [[buffer(0)]]) { out[0] = reverse_bits(out[0]); }
// refuse --std=2.0: reverse_bits
kernel void k(device uint *out [[buffer(0)]]) {
  out[0] = reverse_bits(out[0]); // HERE
}
