// `extract_bits` and `insert_bits` are there since Metal 1.2.
// accept --std=1.2
kernel void k(device uint *out [[buffer(0)]]) { out[0] = extract_bits(out[0], 4u, 8u); }
// refuse --std=1.1: extract_bits
kernel void k(device uint *out [[buffer(0)]]) {
  out[0] = extract_bits(out[0], 4u, 8u); // HERE
}
