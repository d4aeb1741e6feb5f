// `simd_sum` and other folds and votes over lanes are there since Metal 2.1.
// accept --std=2.1
kernel void k(device float *out [[buffer(0)]]) { out[0] = simd_sum(out[0]); }
// refuse --std=2.0: simd_sum
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = simd_sum(out[0]); // HERE
}
