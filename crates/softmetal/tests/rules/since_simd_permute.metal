// `simd_shuffle`, `simd_broadcast` and other moves between lanes are there since Metal 2.0.
// accept --std=2.0
kernel void k(device float *out [[buffer(0)]]) { out[0] = simd_shuffle(out[0], 1); }
// refuse --std=1.2: simd_shuffle
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = simd_shuffle(out[0], 1); // HERE
}
