// `simd_sum` and its kin take no `bool`, `long` or `ulong`.
// accept
kernel void k(device int *out [[buffer(0)]], device half4 *h [[buffer(1)]]) { out[0] = simd_sum(out[0]); h[0] = simd_max(h[0]); }
// refuse: 'simd_sum'
kernel void k(device ulong *out [[buffer(0)]]) {
  out[0] = simd_sum(out[0]); // HERE
}
// refuse: 'simd_shuffle_down'
kernel void k(device long *out [[buffer(0)]]) {
  out[0] = simd_shuffle_down(out[0], 1); // HERE
}
// refuse: 'simd_shuffle'
kernel void k(device int *out [[buffer(0)]]) {
  bool b = out[0] > 1;
  out[0] = simd_shuffle(b, 1); // HERE
}
