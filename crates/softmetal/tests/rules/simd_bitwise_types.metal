// `simd_and`, `simd_or` and `simd_xor` take integers.
// accept
kernel void k(device uint *out [[buffer(0)]]) { out[0] = simd_or(out[0]); }
// refuse: 'simd_or'
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = simd_or(out[0]); // HERE
}
