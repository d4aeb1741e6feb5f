// `simd_shuffle_and_fill_up` and `…_down` are there since Metal 2.4.
// accept --std=2.4
kernel void k(device float *out [[buffer(0)]]) { out[0] = simd_shuffle_and_fill_up(out[0], out[1], 1); }
// refuse --std=2.3: simd_shuffle_and_fill_up
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = simd_shuffle_and_fill_up(out[0], out[1], 1); // HERE
}
